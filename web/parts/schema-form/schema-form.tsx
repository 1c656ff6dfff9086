import { Plus, X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
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
import { type FieldPlace, FormField } from './form-field.tsx';
import { startValue, UnreadText, valueAt, variantOf, withItem, withoutItem, withProperty } from './form-value.ts';
import type { ObjectProperty, SchemaField } from './schema-fields.ts';
import { isRecord } from './schema-parts.ts';

interface NodeProps {
  field: SchemaField;
  place: FieldPlace;
  value: unknown;
  /** By path. */
  issues: ReadonlyMap<string, string>;
  onChange: (value: unknown) => void;
}

export type SchemaFormProps = Pick<NodeProps, 'field' | 'value' | 'issues' | 'onChange'>;

/** A form for the input of a tool, made from its schema. */
export function SchemaForm({ field, value, issues, onChange }: SchemaFormProps) {
  if (field.kind === 'object' && field.properties.length === 0)
    return <p className="text-muted text-sm">This tool takes no input.</p>;
  const place: FieldPlace = { path: '', name: 'input', isRequired: true };
  if (field.kind === 'object')
    return <Properties path="" properties={field.properties} value={value} issues={issues} onChange={onChange} />;
  return <FieldNode field={field} place={place} value={value} issues={issues} onChange={onChange} />;
}

interface PropertiesProps {
  path: string;
  properties: readonly ObjectProperty[];
  value: unknown;
  issues: ReadonlyMap<string, string>;
  onChange: (value: unknown) => void;
}

/** What must be given first. */
function Properties({ path, properties, value, issues, onChange }: PropertiesProps) {
  const ordered = properties.toSorted((left, right) => Number(right.isRequired) - Number(left.isRequired));
  return (
    <div className="flex flex-col gap-4">
      {ordered.map(({ name, isRequired, field }) => (
        <FieldNode
          key={name}
          field={field}
          place={{ path: join(path, name), name, isRequired }}
          value={valueAt(value, name)}
          issues={issues}
          onChange={(next) => onChange(withProperty(value, name, next))}
        />
      ))}
    </div>
  );
}

function FieldNode(props: NodeProps) {
  const { field, place, value, issues, onChange } = props;
  const shared = { field, place, value, onChange, issue: issues.get(place.path) };
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
        <FormField {...shared} isGroup {...(value !== undefined && !place.isRequired && { end: <Drop {...props} /> })}>
          {() => <ObjectNode {...props} field={field} />}
        </FormField>
      );
    case 'variants':
      return (
        <FormField {...shared} isGroup {...(value !== undefined && !place.isRequired && { end: <Drop {...props} /> })}>
          {() => <VariantsNode {...props} field={field} />}
        </FormField>
      );
  }
}

/** The field is passed apart, as its kind is known by now. */
function control<K extends SchemaField['kind']>(
  field: Extract<SchemaField, { kind: K }>,
  { place, value, onChange }: NodeProps,
): Omit<ControlProps<K>, 'parts'> {
  return { field, place, value, onChange };
}

function Drop({ place, onChange }: NodeProps) {
  return (
    <IconButton
      size="sm"
      label={`Leave out ${place.name}`}
      icon={<X aria-hidden />}
      onClick={() => onChange(undefined)}
    />
  );
}

type Of<K extends SchemaField['kind']> = NodeProps & { field: Extract<SchemaField, { kind: K }> };

const inset = 'border-line border-l-2 pl-3.5';

function ObjectNode({ field, place, value, issues, onChange }: Of<'object'>) {
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
        Give {place.name}
      </Button>
    );
  }
  if (field.properties.length === 0) return <p className="text-muted text-xs">An object without fields.</p>;
  return (
    <div ref={group} className={inset}>
      <Properties path={place.path} properties={field.properties} value={value} issues={issues} onChange={onChange} />
    </div>
  );
}

function ListNode({ field, place, value, issues, onChange }: Of<'list'>) {
  const items = Array.isArray(value) ? value : [];
  const { group, focusSoon } = useFocusSoon();
  const add = () => {
    focusSoon(`:scope > ol > li:nth-child(${items.length + 1})`);
    onChange([...items, startValue(field.item, true) ?? (field.item.kind === 'text' ? '' : null)]);
  };
  const remove = (index: number) => {
    focusSoon(':scope > :last-child');
    const rest = withoutItem(items, index);
    onChange(rest.length === 0 && !place.isRequired ? undefined : rest);
  };
  return (
    <div ref={group} className={items.length > 0 ? inset : undefined}>
      <ol className="flex flex-col gap-3">
        {items.map((item, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: entries have no names, and their order is what is edited.
          <li key={index} className="flex items-start gap-1.5">
            <div className="min-w-0 flex-1">
              <FieldNode
                field={field.item}
                place={{
                  path: join(place.path, String(index)),
                  name: `${place.name} ${index + 1}`,
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
              label={`Remove ${place.name} ${index + 1}`}
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
        disabled={field.most !== undefined && items.length >= field.most}
        onClick={add}
      >
        Add to {place.name}
      </Button>
    </div>
  );
}

function VariantsNode({ field, place, value, issues, onChange }: Of<'variants'>) {
  const [chosen, setChosen] = useState<number | null>(null);
  // What was chosen holds while nothing is given; what is given by hand as JSON says by itself what it is.
  const isBlank = value === undefined || value === '' || (isRecord(value) && !(value instanceof UnreadText));
  const index = chosen !== null && isBlank ? chosen : variantOf(field, value);
  const option = field.options[index];
  return (
    <div className={inset}>
      <Select
        label={`Kind of ${place.name}`}
        prefix="as"
        value={String(index)}
        options={field.options.map((each, at) => ({ value: String(at), label: each.label }))}
        onChange={(next) => {
          const at = Number(next);
          setChosen(at);
          const { field: wanted } = field.options[at] ?? {};
          onChange(wanted && startValue(wanted, true));
        }}
        className="mb-2.5 max-w-full"
      />
      {option && <VariantBody field={option.field} place={place} value={value} issues={issues} onChange={onChange} />}
    </div>
  );
}

/** Its name and description stand above already, unless it has words of its own. */
function VariantBody(props: NodeProps) {
  const { field, place, value, issues, onChange } = props;
  if (field.kind === 'object') {
    return (
      <Properties path={place.path} properties={field.properties} value={value} issues={issues} onChange={onChange} />
    );
  }
  // Said above, once.
  const rest = new Map([...issues].filter(([path]) => path !== place.path));
  return <FieldNode {...props} place={{ ...place, isBare: true }} issues={rest} />;
}

const controls = 'input, textarea, button, [role="combobox"]';

/** A button that makes a field, or goes with one, hands the keyboard on to what is there then. */
function useFocusSoon() {
  const group = useRef<HTMLDivElement>(null);
  const wanted = useRef<string | null>(null);
  useEffect(() => {
    const place = wanted.current === null ? null : group.current?.querySelector<HTMLElement>(wanted.current);
    if (!place) return;
    wanted.current = null;
    const control = place.matches(controls) ? place : place.querySelector<HTMLElement>(controls);
    control?.focus();
  });
  return {
    group,
    focusSoon: (selector: string) => {
      wanted.current = selector;
    },
  };
}
