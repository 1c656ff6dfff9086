import { type ReactNode, useId } from 'react';
import { Checkbox } from '../../ui/checkbox.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import type { SchemaField } from './schema-fields.ts';

export interface FieldContext {
  /** The value's path in the input, such as `filters.tags.0`. */
  path: string;
  /** The name of the property or list entry. */
  name: string;
  isRequired: boolean;
  /** A list entry is never marked as required. */
  isEntry?: boolean;
  /** Hides the name and type from sight: they are shown right above. */
  isBare?: boolean;
}

export interface ControlParts {
  id: string;
  'aria-describedby': string | undefined;
  'aria-invalid': true | undefined;
  'aria-required': true | undefined;
}

export interface FormFieldProps {
  field: SchemaField;
  context: FieldContext;
  issue: string | undefined;
  value: unknown;
  onChange: (value: unknown) => void;
  /** Whether it is a group whose parts have their own labels. */
  isGroup?: boolean;
  end?: ReactNode;
  children: (parts: ControlParts) => ReactNode;
}

/** Wraps a control with its name, type, description and issue. */
export function FormField(props: FormFieldProps) {
  const { field, context, issue, value, onChange, isGroup = false, end, children } = props;
  const id = useId();
  const noteId = `${id}-note`;
  const issueId = `${id}-issue`;
  const description = field.description ?? (field.title !== context.name ? field.title : undefined);
  const described = [description && noteId, issue && issueId].filter(Boolean).join(' ') || undefined;
  const name = <span className="min-w-0 break-all font-medium font-mono text-xs">{context.name}</span>;
  const body = (
    <>
      <div className={context.isBare ? 'sr-only' : 'flex min-h-6 items-center gap-2'}>
        {isGroup ? (
          <span id={`${id}-name`} className="min-w-0">
            {name}
          </span>
        ) : (
          <label htmlFor={id} className="min-w-0">
            {name}
          </label>
        )}
        {context.isRequired && !context.isEntry && <span className="text-2xs text-warn">required</span>}
        <span className="ml-auto flex shrink-0 items-center gap-2.5 text-2xs text-faint">
          {hintOf(field)}
          {field.isNullable && (
            <label htmlFor={`${id}-null`} className="flex items-center gap-1 text-muted">
              <Checkbox
                id={`${id}-null`}
                className="size-3.5!"
                checked={value === null}
                onChange={(event) => onChange(event.target.checked ? null : undefined)}
              />
              null
            </label>
          )}
          {end}
        </span>
      </div>
      {description && (
        <p id={noteId} className="mb-1.5 whitespace-pre-line text-pretty break-words text-muted text-xs">
          <ForeignText text={description} hasCode />
        </p>
      )}
      {(value !== null || !field.isNullable) &&
        children({
          id,
          'aria-describedby': described,
          'aria-invalid': issue ? true : undefined,
          'aria-required': context.isRequired || undefined,
        })}
      {issue && (
        <p id={issueId} role="alert" className="mt-1 text-danger text-xs">
          {/^[a-z]/.test(issue) ? `${context.name} ${issue}` : issue}.
        </p>
      )}
    </>
  );
  if (!isGroup) {
    return (
      <div data-path={context.path} className="min-w-0">
        {body}
      </div>
    );
  }
  return (
    <fieldset aria-labelledby={`${id}-name`} aria-describedby={described} data-path={context.path} className="min-w-0">
      {body}
    </fieldset>
  );
}

/** Leaves out the limits that every whole number has in JSON. */
function telling(limit: number | undefined): string | undefined {
  return limit === undefined || Math.abs(limit) >= Number.MAX_SAFE_INTEGER ? undefined : limit.toLocaleString('en');
}

/** Describes type and limits in a few words. */
function hintOf(field: SchemaField): string {
  switch (field.kind) {
    case 'text': {
      const { min, max } = field.limits;
      const length =
        min !== undefined && min > 1 && max !== undefined
          ? `${min === max ? max : `${min}–${max}`} characters`
          : max !== undefined
            ? `up to ${max.toLocaleString('en')} characters`
            : undefined;
      return [field.format ?? 'text', length].filter(Boolean).join(', ');
    }
    case 'number': {
      const { above, below, step } = field.limits;
      const [min, max] = [telling(field.limits.min), telling(field.limits.max)];
      const limits = [
        min !== undefined && max !== undefined ? `${min} to ${max}` : undefined,
        min !== undefined && max === undefined ? `≥ ${min}` : undefined,
        max !== undefined && min === undefined ? `≤ ${max}` : undefined,
        above === undefined ? undefined : `> ${above}`,
        below === undefined ? undefined : `< ${below}`,
        step === undefined ? undefined : `in steps of ${step}`,
      ].filter((limit) => limit !== undefined);
      return [field.isWhole ? 'whole number' : 'number', ...limits].join(', ');
    }
    case 'boolean':
      return 'yes or no';
    case 'choice':
      return 'choice';
    case 'list':
      return 'list';
    case 'object':
      return 'object';
    case 'variants':
      return 'alternatives';
    case 'json':
      return 'JSON';
  }
}
