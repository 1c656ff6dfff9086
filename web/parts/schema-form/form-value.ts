import { isRecord } from '../../../src/base/is-record.ts';
import type { SchemaField } from './schema-fields.ts';

/** Typed text that is not a number or JSON yet. It takes the place of the value until it can be parsed. */
export class UnreadText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toJSON(): string {
    return this.text;
  }
}

/** Returns the initial value of a form: only required parts, and no optional defaults. */
export function startValue(field: SchemaField, isRequired: boolean): unknown {
  if (!isRequired) return undefined;
  if (field.defaultValue !== undefined) return structuredClone(field.defaultValue);
  switch (field.kind) {
    case 'choice':
      return field.options.length === 1 ? field.options[0]?.value : undefined;
    case 'list':
      return Array.from({ length: Math.min(field.min ?? 0, 3) }, () => startValue(field.item, true));
    case 'object':
      return startObject(field);
    case 'variants': {
      const [first] = field.options;
      return first && startValue(first.field, true);
    }
    default:
      return undefined;
  }
}

function startObject(field: Extract<SchemaField, { kind: 'object' }>): Record<string, unknown> {
  const entries = field.properties.map(({ name, isRequired, field: each }) => [name, startValue(each, isRequired)]);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** Returns an own property of an object, or undefined. */
export function valueAt(value: unknown, name: string): unknown {
  return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** Sets a property, or removes it if `next` is undefined. Unknown keys stay. */
export function withProperty(value: unknown, name: string, next: unknown): Record<string, unknown> {
  const entries = isRecord(value) ? Object.entries(value) : [];
  const isThere = entries.some(([key]) => key === name);
  if (next === undefined) return Object.fromEntries(entries.filter(([key]) => key !== name));
  return Object.fromEntries(
    isThere ? entries.map(([key, each]) => [key, key === name ? next : each]) : [...entries, [name, next]],
  );
}

export function withItem(value: unknown, index: number, next: unknown): unknown[] {
  const items = Array.isArray(value) ? value : [];
  // A list cannot have holes, so a cleared entry is null.
  return items.map((each, at) => (at === index ? (next ?? null) : each));
}

export function withoutItem(value: unknown, index: number): unknown[] {
  return (Array.isArray(value) ? value : []).filter((_, at) => at !== index);
}

/** Returns the index of the alternative that matches a value, exactly or at least by kind. */
export function variantOf(field: Extract<SchemaField, { kind: 'variants' }>, value: unknown): number {
  const exact = field.options.findIndex((option) => fits(option.field, value, true));
  if (exact !== -1) return exact;
  return Math.max(
    0,
    field.options.findIndex((option) => fits(option.field, value, false)),
  );
}

function fits(field: SchemaField, value: unknown, isExact: boolean): boolean {
  switch (field.kind) {
    case 'text':
      return typeof value === 'string';
    case 'number':
      return typeof value === 'number' || value instanceof UnreadText;
    case 'boolean':
      return typeof value === 'boolean';
    case 'choice':
      return field.options.some((option) => sameJson(option.value, value));
    case 'list':
      return Array.isArray(value);
    case 'object':
      if (!isRecord(value) || value instanceof UnreadText) return false;
      return (
        !isExact ||
        field.properties.every(({ name, isRequired, field: each }) => {
          const inner = valueAt(value, name);
          return inner === undefined ? !isRequired || each.kind !== 'choice' : fits(each, inner, isExact);
        })
      );
    case 'variants':
      return field.options.some((option) => fits(option.field, value, isExact));
    case 'json':
      return value !== undefined;
  }
}

/** Whether the value contains text that could not be parsed. */
export function hasUnread(value: unknown): boolean {
  if (value instanceof UnreadText) return true;
  if (Array.isArray(value)) return value.some(hasUnread);
  return isRecord(value) && Object.values(value).some(hasUnread);
}

export function readNumber(text: string): number | UnreadText | undefined {
  const typed = text.trim();
  if (typed === '') return undefined;
  const number = Number(typed);
  return Number.isFinite(number) ? number : new UnreadText(text);
}

export function readJson(text: string): unknown {
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return new UnreadText(text);
  }
}

export function sameJson(left: unknown, right: unknown): boolean {
  return left === right || JSON.stringify(left) === JSON.stringify(right);
}
