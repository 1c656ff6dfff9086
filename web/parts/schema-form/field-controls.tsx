import { useState } from 'react';
import { classes } from '../../ui/classes.ts';
import { controlClass } from '../../ui/field.tsx';
import { Input } from '../../ui/input.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { Select } from '../../ui/select.tsx';
import type { ControlParts, FieldContext } from './form-field.tsx';
import { readJson, readNumber, sameJson, UnreadText } from './form-value.ts';
import { labelOf, type SchemaField } from './schema-fields.ts';

export interface ControlProps<K extends SchemaField['kind']> {
  field: Extract<SchemaField, { kind: K }>;
  context: FieldContext;
  parts: ControlParts;
  value: unknown;
  onChange: (value: unknown) => void;
}

const inputTypes: Record<string, string> = { date: 'date', email: 'email', uri: 'url', password: 'password' };
const maxLineLength = 100;

/** A one-line input for short text, otherwise a growing text area. */
export function TextControl({ field, context, parts, value, onChange }: ControlProps<'text'>) {
  const text = typeof value === 'string' ? value : value === undefined ? '' : labelOf(value);
  const { max } = field.limits;
  const isLine = (field.format !== undefined || (max !== undefined && max <= maxLineLength)) && !text.includes('\n');
  const change = (next: string) => onChange(next === '' && !context.isRequired ? undefined : next);
  const shared = { ...parts, value: text, placeholder: placeholderOf(field), spellCheck: false, autoComplete: 'off' };
  if (isLine) {
    return (
      <Input
        {...shared}
        type={inputTypes[field.format ?? ''] ?? 'text'}
        onChange={(event) => change(event.target.value)}
      />
    );
  }
  return (
    <textarea
      {...shared}
      rows={field.isLong ? 3 : 1}
      onChange={(event) => change(event.target.value)}
      className={classes(
        controlClass,
        'block field-sizing-content max-h-96 px-2.5 py-1.5 text-sm',
        field.isLong ? 'min-h-20' : 'min-h-8 resize-none max-md:min-h-10 max-md:py-2',
      )}
    />
  );
}

/** Keeps the typed text, although 1.0 equals 1. */
export function NumberControl({ field, parts, value, onChange }: ControlProps<'number'>) {
  const [typed, setTyped] = useState('');
  const isTyped = sameJson(readNumber(typed), value);
  const shown = isTyped ? typed : value instanceof UnreadText ? value.text : value === undefined ? '' : labelOf(value);
  return (
    <Input
      {...parts}
      inputMode={field.isWhole ? 'numeric' : 'decimal'}
      autoComplete="off"
      placeholder={placeholderOf(field)}
      value={shown}
      onChange={(event) => {
        setTyped(event.target.value);
        onChange(readNumber(event.target.value));
      }}
      className="max-w-60"
    />
  );
}

export function BooleanControl({ field, context, value, onChange }: ControlProps<'boolean'>) {
  const options = [
    ...(context.isRequired ? [] : [{ value: 'unset' as const, label: unsetLabel(field) }]),
    { value: 'true' as const, label: 'Yes' },
    { value: 'false' as const, label: 'No' },
  ];
  const now = typeof value === 'boolean' ? (String(value) as 'true' | 'false') : 'unset';
  return (
    <Segmented
      label={context.name}
      value={now}
      options={options}
      onChange={(next) => onChange(next === 'unset' ? undefined : next === 'true')}
    />
  );
}

export function ChoiceControl({ field, context, parts, value, onChange }: ControlProps<'choice'>) {
  const index = field.options.findIndex((option) => sameJson(option.value, value));
  const none = { value: '', label: context.isRequired ? 'Choose…' : unsetLabel(field) };
  const isOther = value !== undefined && index === -1;
  return (
    <Select
      label={context.name}
      id={parts.id}
      value={isOther ? 'other' : index === -1 ? '' : String(index)}
      options={[
        ...(context.isRequired && index !== -1 ? [] : [none]),
        ...(isOther ? [{ value: 'other', label: labelOf(value) }] : []),
        ...field.options.map((option, at) => ({ value: String(at), label: option.label })),
      ]}
      onChange={(next) => {
        if (next !== 'other') onChange(next === '' ? undefined : field.options[Number(next)]?.value);
      }}
      className="w-full max-w-96"
    />
  );
}

/** For values without a control of their own. */
export function JsonControl({ field, parts, value, onChange }: ControlProps<'json'>) {
  const [typed, setTyped] = useState('');
  const isTyped = sameJson(readJson(typed), value);
  const shown = isTyped
    ? typed
    : value instanceof UnreadText
      ? value.text
      : value === undefined
        ? ''
        : JSON.stringify(value, null, 2);
  return (
    <textarea
      {...parts}
      rows={2}
      spellCheck={false}
      autoComplete="off"
      autoCapitalize="off"
      placeholder={placeholderOf(field) || 'JSON, e.g. { }, [ ], "text" or 1'}
      value={shown}
      onChange={(event) => {
        setTyped(event.target.value);
        onChange(readJson(event.target.value));
      }}
      className={classes(
        controlClass,
        'block field-sizing-content max-h-96 min-h-16 px-2.5 py-1.5 font-mono text-xs leading-5',
      )}
    />
  );
}

function placeholderOf({ defaultValue }: SchemaField): string {
  return defaultValue === undefined ? '' : `default: ${labelOf(defaultValue).slice(0, 120)}`;
}

function unsetLabel({ defaultValue }: SchemaField): string {
  return defaultValue === undefined ? 'Not set' : `Default (${labelOf(defaultValue).slice(0, 40)})`;
}
