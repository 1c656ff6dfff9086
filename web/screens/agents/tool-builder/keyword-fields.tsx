import { Plus, X } from 'lucide-react';
import { type ComponentProps, useEffect, useRef, useState } from 'react';
import { readNumber, UnreadText } from '../../../parts/schema-form/form-value.ts';
import { Button } from '../../../ui/button.tsx';
import { Field } from '../../../ui/field.tsx';
import { IconButton } from '../../../ui/icon-button.tsx';
import { Input } from '../../../ui/input.tsx';
import { Select } from '../../../ui/select.tsx';
import { useBuilder } from './builder-context.ts';
import { changeNode, newNode, setKeyword } from './edit-nodes.ts';
import { keywordNames, startOf, textOf } from './keyword-table.ts';
import {
  type Keywords,
  keywordsOf,
  type OptionalKeyword,
  type ParameterType,
  type SchemaNode,
  type Typed,
} from './schema-node.ts';

/** The optional keywords of a schema: a field for each that is set, a button to add each other. */
export function KeywordFields({ node, name }: { node: SchemaNode; name: string }) {
  const { editable, change } = useBuilder();
  const { keywords } = node;
  const list = useRef<HTMLDivElement>(null);
  const [added, setAdded] = useState<OptionalKeyword | null>(null);
  useEffect(() => {
    if (added === null) return;
    list.current?.querySelector<HTMLElement>(`[data-keyword="${added}"] :is(input, button)`)?.focus();
    setAdded(null);
  }, [added]);
  const known = keywordsOf[keywords.type];
  const present = known.filter((keyword) => keywords[keyword] !== undefined);
  const absent = known.filter((keyword) => keywords[keyword] === undefined);
  const set = (keyword: OptionalKeyword, value: Keywords[OptionalKeyword]) =>
    change((root) => changeNode(root, node.id, (each) => setKeyword(each, keyword, value)));
  return (
    <div ref={list} className="flex flex-col gap-3">
      {present.length > 0 && (
        <div className="grid gap-3 sm:grid-cols-2">
          {present.map((keyword) => (
            <div key={keyword} data-keyword={keyword} className="flex min-w-0 items-start gap-1">
              <KeywordField node={node} keyword={keyword} name={name} set={(value) => set(keyword, value)} />
              {editable && (
                <IconButton
                  size="sm"
                  label={`Remove ${keywordNames[keyword].toLowerCase()} of ${name}`}
                  icon={<X aria-hidden />}
                  onClick={() => set(keyword, undefined)}
                  className="mt-6.5"
                />
              )}
            </div>
          ))}
        </div>
      )}
      {editable && absent.length > 0 && (
        <div className="flex flex-wrap gap-1.5">
          {absent.map((keyword) => (
            <Button
              key={keyword}
              size="sm"
              variant="ghost"
              aria-label={`Add ${keywordNames[keyword].toLowerCase()} to ${name}`}
              icon={<Plus aria-hidden />}
              onClick={() => {
                set(keyword, startOf(keyword, keywords.type));
                setAdded(keyword);
              }}
            >
              {keywordNames[keyword]}
            </Button>
          ))}
        </div>
      )}
    </div>
  );
}

interface KeywordFieldProps {
  node: SchemaNode;
  keyword: OptionalKeyword;
  name: string;
  set: (value: Keywords[OptionalKeyword]) => void;
}

function KeywordField({ node, keyword, name, set }: KeywordFieldProps) {
  const { editable, problemAt } = useBuilder();
  const { keywords } = node;
  const label = keywordNames[keyword];
  const error = problemAt(node.id, keyword);
  if (keyword === 'enum' || keyword === 'examples') {
    return (
      <ValueList
        label={label}
        name={name}
        type={keywords.type}
        values={keywords[keyword] ?? []}
        error={error}
        set={set}
      />
    );
  }
  if (keyword === 'additionalProperties') {
    const value = keywords.additionalProperties;
    return (
      <ChoiceField
        label={label}
        name={name}
        value={typeof value === 'object' ? 'typed' : String(value)}
        options={[
          { value: 'false', label: 'Not allowed' },
          { value: 'true', label: 'Any' },
          { value: 'typed', label: 'One type' },
        ]}
        set={(next) => set(next === 'typed' ? newNode('string') : next === 'true')}
      />
    );
  }
  const value = keywords[keyword];
  if (keyword === 'uniqueItems' || typeof value === 'boolean') {
    return (
      <ChoiceField
        label={label}
        name={name}
        value={String(value)}
        options={[
          { value: 'true', label: 'Yes' },
          { value: 'false', label: 'No' },
        ]}
        set={(next) => set(next === 'true')}
      />
    );
  }
  const isText = keyword === 'title' || keyword === 'pattern' || keyword === 'format';
  const isNumber = !isText && !(keyword === 'default' && keywords.type === 'string');
  return (
    <Field label={label} error={error} className="flex-1">
      {(parts) => (
        <ValueInput
          {...parts}
          aria-label={`${label} of ${name}`}
          isNumber={isNumber}
          readOnly={!editable}
          value={value ?? ''}
          set={set}
        />
      )}
    </Field>
  );
}

interface ChoiceFieldProps {
  label: string;
  name: string;
  value: string;
  options: readonly { value: string; label: string }[];
  set: (value: string) => void;
}

function ChoiceField({ label, name, value, options, set }: ChoiceFieldProps) {
  const { editable } = useBuilder();
  return (
    <Field label={label} className="flex-1">
      {({ id }) => (
        <Select
          id={id}
          label={`${label} of ${name}`}
          value={value}
          options={options}
          disabled={!editable}
          onChange={set}
        />
      )}
    </Field>
  );
}

interface ValueListProps {
  label: string;
  name: string;
  type: ParameterType;
  values: readonly Typed[];
  error: string | undefined;
  set: (values: Typed[]) => void;
}

/** A list of values; text may be empty. */
function ValueList({ label, name, type, values, error, set }: ValueListProps) {
  const { editable } = useBuilder();
  const list = useRef<HTMLUListElement>(null);
  const focusSoon = useRef<number | null>(null);
  useEffect(() => {
    if (focusSoon.current === null) return;
    list.current?.querySelectorAll<HTMLElement>('input')[focusSoon.current]?.focus();
    focusSoon.current = null;
  });
  const isNumber = type !== 'string';
  const add = () => {
    focusSoon.current = values.length;
    set([...values, isNumber ? new UnreadText('') : '']);
  };
  return (
    <fieldset aria-label={`${label} of ${name}`} className="flex min-w-0 flex-1 flex-col gap-1.5">
      <span aria-hidden className="font-medium text-sm">
        {label}
      </span>
      <ul ref={list} className="flex flex-col gap-1.5">
        {values.map((value, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: values have no ids; their order is edited.
          <li key={index} className="flex items-center gap-1">
            <ValueInput
              aria-label={`${label} of ${name}, ${index + 1}`}
              isNumber={isNumber}
              readOnly={!editable}
              value={value}
              placeholder={isNumber ? '' : 'Empty text'}
              onKeyDown={(event) => {
                if (event.key !== 'Enter') return;
                event.preventDefault();
                add();
              }}
              set={(next) => set(values.with(index, next))}
            />
            {editable && values.length > 1 && (
              <IconButton
                size="sm"
                label={`Remove value ${index + 1} of ${label.toLowerCase()} of ${name}`}
                icon={<X aria-hidden />}
                onClick={() => set(values.toSpliced(index, 1))}
              />
            )}
          </li>
        ))}
      </ul>
      {editable && (
        <Button
          size="sm"
          variant="ghost"
          icon={<Plus aria-hidden />}
          aria-label={`Add value to ${label.toLowerCase()} of ${name}`}
          onClick={add}
          className="self-start"
        >
          Add value
        </Button>
      )}
      {error && (
        <p role="alert" className="text-danger text-xs">
          {error}
        </p>
      )}
    </fieldset>
  );
}

type ValueInputProps = Omit<ComponentProps<typeof Input>, 'value' | 'onChange'> & {
  isNumber: boolean;
  value: Typed;
  set: (value: Typed) => void;
};

/** An input for text or a number. Keeps a number as typed, although 1.0 equals 1. */
function ValueInput({ isNumber, value, set, ...rest }: ValueInputProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const shown = isNumber && typed !== null && isSame(numberIn(typed), value) ? typed : textOf(value);
  return (
    <Input
      {...rest}
      inputMode={isNumber ? 'decimal' : 'text'}
      autoComplete="off"
      value={shown}
      onChange={(event) => {
        setTyped(event.target.value);
        set(isNumber ? numberIn(event.target.value) : event.target.value);
      }}
    />
  );
}

function numberIn(text: string): Typed {
  return readNumber(text) ?? new UnreadText(text);
}

function isSame(left: Typed, right: Typed): boolean {
  if (left instanceof UnreadText && right instanceof UnreadText) return left.text === right.text;
  return left === right;
}
