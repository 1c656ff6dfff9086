import { type ReactNode, useId } from 'react';
import { Checkbox } from '../../ui/checkbox.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import type { SchemaField } from './schema-fields.ts';

export interface FieldPlace {
  /** Where its value stands in the input: `filters.tags.0`. */
  path: string;
  /** What the property, or the entry of a list, is called. */
  name: string;
  isRequired: boolean;
  /** Of a list: it is there or it is not, so nobody says that it must be. */
  isEntry?: boolean;
  /** Its name and its type stand right above; they are said to those who do not see that. */
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
  place: FieldPlace;
  issue: string | undefined;
  value: unknown;
  onChange: (value: unknown) => void;
  /** Of a group: its parts have labels of their own. */
  isGroup?: boolean;
  end?: ReactNode;
  children: (parts: ControlParts) => ReactNode;
}

/** The name, the type, the description and the trouble of one field, around its control. */
export function FormField(props: FormFieldProps) {
  const { field, place, issue, value, onChange, isGroup = false, end, children } = props;
  const id = useId();
  const noteId = `${id}-note`;
  const issueId = `${id}-issue`;
  const description = field.description ?? (field.title !== place.name ? field.title : undefined);
  const described = [description && noteId, issue && issueId].filter(Boolean).join(' ') || undefined;
  const name = <span className="min-w-0 break-all font-medium font-mono text-xs">{place.name}</span>;
  const body = (
    <>
      <div className={place.isBare ? 'sr-only' : 'flex min-h-6 items-center gap-2'}>
        {isGroup ? (
          <span id={`${id}-name`} className="min-w-0">
            {name}
          </span>
        ) : (
          <label htmlFor={id} className="min-w-0">
            {name}
          </label>
        )}
        {place.isRequired && !place.isEntry && <span className="text-2xs text-warn">required</span>}
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
          <ForeignText text={description} />
        </p>
      )}
      {(value !== null || !field.isNullable) &&
        children({
          id,
          'aria-describedby': described,
          'aria-invalid': issue ? true : undefined,
          'aria-required': place.isRequired || undefined,
        })}
      {issue && (
        <p id={issueId} role="alert" className="mt-1 text-danger text-xs">
          {place.name}: {issue}.
        </p>
      )}
    </>
  );
  if (!isGroup) {
    return (
      <div data-path={place.path} className="min-w-0">
        {body}
      </div>
    );
  }
  return (
    <fieldset aria-labelledby={`${id}-name`} aria-describedby={described} data-path={place.path} className="min-w-0">
      {body}
    </fieldset>
  );
}

/** Type and limits in a few words. */
function hintOf(field: SchemaField): string {
  switch (field.kind) {
    case 'text': {
      const { fewest, most } = field.limits;
      const length =
        fewest !== undefined && fewest > 1 && most !== undefined
          ? `${fewest === most ? most : `${fewest}–${most}`} characters`
          : most !== undefined
            ? `up to ${most.toLocaleString('en')} characters`
            : undefined;
      return [field.format ?? 'text', length].filter(Boolean).join(', ');
    }
    case 'number': {
      const { min, max, above, below, step } = field.limits;
      const limits = [
        min !== undefined && max !== undefined ? `${min}–${max}` : undefined,
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
      return 'one of these';
    case 'list':
      return 'list';
    case 'object':
      return 'object';
    case 'variants':
      return 'one of several';
    case 'json':
      return 'JSON';
  }
}
