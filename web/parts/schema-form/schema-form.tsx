import { Plus, X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { isRecord } from '../../../src/base/is-record.ts';
import { Button } from '../../ui/button.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { Select } from '../../ui/select.tsx';
import { join } from './check-value.ts';
import {
  BooleanControl,
  ChoiceControl,
  type ControlProps,
  JsonControl,
  NumberControl,
  TextControl,
} from './field-controls.tsx';
import { type FieldContext, FormField } from './form-field.tsx';
import { startValue, UnreadText, valueAt, variantOf, withItem, withoutItem, withProperty } from './form-value.ts';
import type { ObjectProperty, SchemaField } from './schema-fields.ts';

interface NodeProps {
  field: SchemaField;
  context: FieldContext;
  value: unknown;
  /** Messages by path. */
  issues: ReadonlyMap<string, string>;
  onChange: (value: unknown) => void;
}

export type SchemaFormProps = Pick<NodeProps, 'field' | 'value' | 'issues' | 'onChange'>;

/** A form for a tool's input, generated from its schema. */
export function SchemaForm({ field, value, issues, onChange }: SchemaFormProps) {
  if (field.kind === 'object' && field.properties.length === 0)
    return <p className="text-muted text-sm">This tool takes no input.</p>;
  const context: FieldContext = { path: '', name: 'input', isRequired: true };
  if (field.kind === 'object')
    return <Properties path="" properties={field.properties} value={value} issues={issues} onChange={onChange} />;
  return <FieldNode field={field} context={context} value={value} issues={issues} onChange={onChange} />;
}

interface PropertiesProps {
  path: string;
  properties: readonly ObjectProperty[];
  value: unknown;
  issues: ReadonlyMap<string, string>;
  onChange: (value: unknown) => void;
}

/** Shows required properties first. */
function Properties({ path, properties, value, issues, onChange }: PropertiesProps) {
  const ordered = properties.toSorted((left, right) => Number(right.isRequired) - Number(left.isRequired));
  return (
    <div className="flex flex-col gap-4">
      {ordered.map(({ name, isRequired, field }) => (
        <FieldNode
          key={name}
          field={field}
          context={{ path: join(path, name), name, isRequired }}
          value={valueAt(value, name)}
          issues={issues}
          onChange={(next) => onChange(withProperty(value, name, next))}
        />
      ))}
    </div>
  );
}

function FieldNode(props: NodeProps) {
  const { field, context, value, issues, onChange } = props;
  const shared = { field, context, value, onChange, issue: issues.get(context.path) };
  switch (field.kind) {
    case 'text':
      return <FormField {...shared}>{(parts) => <TextControl {...control(field, props)} parts={parts} />}</FormField>;
    case 'number':
      return <FormField {...shared}>{(parts) => <NumberControl {...control(field, props)} parts={parts} />}</FormField>;
    case 'boolean':
      return (
        <FormField {...shared} isGroup>
          {(parts) => <BooleanControl {...control(field, props)} parts={parts} />}
        </FormField>
      );
    case 'choice':
      return <FormField {...shared}>{(parts) => <ChoiceControl {...control(field, props)} parts={parts} />}</FormField>;
    case 'json':
      return <FormField {...shared}>{(parts) => <JsonControl {...control(field, props)} parts={parts} />}</FormField>;
    case 'list':
      return (
        <FormField {...shared} isGroup>
          {() => <ListNode {...props} field={field} />}
        </FormField>
      );
    case 'object':
      return (
        <FormField
          {...shared}
          isGroup
          {...(value !== undefined && !context.isRequired && { end: <RemoveButton {...props} /> })}
        >
          {() => <ObjectNode {...props} field={field} />}
        </FormField>
      );
    case 'variants':
      return (
        <FormField
          {...shared}
          isGroup
          {...(value !== undefined && !context.isRequired && { end: <RemoveButton {...props} /> })}
        >
          {() => <VariantsNode {...props} field={field} />}
        </FormField>
      );
  }
}

/** Takes the field separately, because its kind has been narrowed. */
function control<K extends SchemaField['kind']>(
  field: Extract<SchemaField, { kind: K }>,
  { context, value, onChange }: NodeProps,
): Omit<ControlProps<K>, 'parts'> {
  return { field, context, value, onChange };
}

function RemoveButton({ context, onChange }: NodeProps) {
  return (
    <IconButton
      size="sm"
      label={`Remove ${context.name}`}
      icon={<X aria-hidden />}
      onClick={() => onChange(undefined)}
    />
  );
}

type Of<K extends SchemaField['kind']> = NodeProps & { field: Extract<SchemaField, { kind: K }> };

const inset = 'border-line border-l-2 pl-3.5';

function ObjectNode({ field, context, value, issues, onChange }: Of<'object'>) {
  const { group, focusSoon } = useFocusSoon();
  if (value === undefined) {
    return (
      <Button
        size="sm"
        icon={<Plus aria-hidden />}
        onClick={() => {
          focusSoon('[data-path]');
          onChange(startValue(field, true) ?? {});
        }}
      >
        Add {context.name}
      </Button>
    );
  }
  if (field.properties.length === 0) return <p className="text-muted text-xs">This object has no fields.</p>;
  return (
    <div ref={group} className={inset}>
      <Properties path={context.path} properties={field.properties} value={value} issues={issues} onChange={onChange} />
    </div>
  );
}

function ListNode({ field, context, value, issues, onChange }: Of<'list'>) {
  const items = Array.isArray(value) ? value : [];
  const { group, focusSoon } = useFocusSoon();
  const add = () => {
    focusSoon(`:scope > ol > li:nth-child(${items.length + 1})`);
    onChange([...items, startValue(field.item, true) ?? (field.item.kind === 'text' ? '' : null)]);
  };
  const remove = (index: number) => {
    focusSoon(':scope > :last-child');
    const rest = withoutItem(items, index);
    onChange(rest.length === 0 && !context.isRequired ? undefined : rest);
  };
  return (
    <div ref={group} className={items.length > 0 ? inset : undefined}>
      <ol className="flex flex-col gap-3">
        {items.map((item, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: entries have no ids; their order is edited.
          <li key={index} className="flex items-start gap-1.5">
            <div className="min-w-0 flex-1">
              <FieldNode
                field={field.item}
                context={{
                  path: join(context.path, String(index)),
                  name: `${context.name} ${index + 1}`,
                  isRequired: true,
                  isEntry: true,
                }}
                value={item === null && !field.item.isNullable ? undefined : item}
                issues={issues}
                onChange={(next) => onChange(withItem(items, index, next))}
              />
            </div>
            <IconButton
              size="sm"
              label={`Remove ${context.name} ${index + 1}`}
              icon={<X aria-hidden />}
              onClick={() => remove(index)}
            />
          </li>
        ))}
      </ol>
      <Button
        size="sm"
        icon={<Plus aria-hidden />}
        className={items.length > 0 ? 'mt-3' : undefined}
        disabled={field.max !== undefined && items.length >= field.max}
        onClick={add}
      >
        Add to {context.name}
      </Button>
    </div>
  );
}

function VariantsNode({ field, context, value, issues, onChange }: Of<'variants'>) {
  const [chosen, setChosen] = useState<number | null>(null);
  // The chosen alternative applies while the value is blank; otherwise the value decides.
  const isBlank = value === undefined || value === '' || (isRecord(value) && !(value instanceof UnreadText));
  const index = chosen !== null && isBlank ? chosen : variantOf(field, value);
  const option = field.options[index];
  return (
    <div className={inset}>
      <Select
        label={`Type of ${context.name}`}
        prefix="as"
        value={String(index)}
        options={field.options.map((each, at) => ({ value: String(at), label: each.label }))}
        onChange={(value) => {
          const at = Number(value);
          setChosen(at);
          const { field: next } = field.options[at] ?? {};
          onChange(next && startValue(next, true));
        }}
        className="mb-2.5 max-w-full"
      />
      {option && (
        <VariantBody field={option.field} context={context} value={value} issues={issues} onChange={onChange} />
      )}
    </div>
  );
}

/** Renders an alternative without its name, which is shown above. */
function VariantBody(props: NodeProps) {
  const { field, context, value, issues, onChange } = props;
  if (field.kind === 'object') {
    return (
      <Properties path={context.path} properties={field.properties} value={value} issues={issues} onChange={onChange} />
    );
  }
  // Shown above.
  const rest = new Map([...issues].filter(([path]) => path !== context.path));
  return <FieldNode {...props} context={{ ...context, isBare: true }} issues={rest} />;
}

const controls = 'input, textarea, button, [role="combobox"]';

/** Moves focus to a control after the next render, for buttons that add or remove fields. */
function useFocusSoon() {
  const group = useRef<HTMLDivElement>(null);
  const selector = useRef<string | null>(null);
  useEffect(() => {
    const target = selector.current === null ? null : group.current?.querySelector<HTMLElement>(selector.current);
    if (!target) return;
    selector.current = null;
    const control = target.matches(controls) ? target : target.querySelector<HTMLElement>(controls);
    control?.focus();
  });
  return {
    group,
    focusSoon: (next: string) => {
      selector.current = next;
    },
  };
}
