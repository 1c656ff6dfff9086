import { sameJson, UnreadText, valueAt } from './form-value.ts';
import type { NumberLimits, SchemaField, TextLimits } from './schema-fields.ts';
import { isRecord } from './schema-parts.ts';

export interface ValueIssue {
  /** `filters.tags.0`; empty for the whole. */
  path: string;
  message: string;
}

export const isMissing = 'is required';

/**
 * What the form can say about a value before it is sent. It knows types, what is required, and limits; the rest of a
 * schema, patterns for one, is the hub's to judge, whose answer decides in any case.
 */
export function checkValue(field: SchemaField, value: unknown, isRequired = true, path = ''): ValueIssue[] {
  const wrong = (message: string): ValueIssue[] => [{ path, message }];
  if (value === undefined) return isRequired ? wrong(isMissing) : [];
  if (value === null && field.isNullable) return [];
  switch (field.kind) {
    case 'text':
      return typeof value === 'string' ? checkText(field.limits, value).flatMap(wrong) : wrong('must be a text');
    case 'number':
      if (typeof value !== 'number') return wrong('must be a number');
      if (field.isWhole && !Number.isInteger(value)) return wrong('must be a whole number');
      return checkNumber(field.limits, value).flatMap(wrong);
    case 'boolean':
      return typeof value === 'boolean' ? [] : wrong('must be true or false');
    case 'choice':
      return field.options.some((option) => sameJson(option.value, value))
        ? []
        : wrong(`must be one of: ${field.options.map((option) => option.label).join(', ')}`);
    case 'list':
      return Array.isArray(value) ? checkList(field, value, path) : wrong('must be a list');
    case 'object':
      if (!isRecord(value) || value instanceof UnreadText) return wrong('must be an object');
      return field.properties.flatMap((property) =>
        checkValue(property.field, valueAt(value, property.name), property.isRequired, join(path, property.name)),
      );
    case 'variants': {
      const found = field.options.map((option) => checkValue(option.field, value, isRequired, path));
      return found.some((issues) => issues.length === 0) ? [] : (found.toSorted(byDepth)[0] ?? []);
    }
    case 'json':
      return value instanceof UnreadText ? wrong('is not JSON yet') : [];
  }
}

/** An alternative that fails further inside was meant more than one of another type. */
function byDepth(left: readonly ValueIssue[], right: readonly ValueIssue[]): number {
  const depth = (issues: readonly ValueIssue[]) =>
    Math.min(...issues.map(({ path }) => (path === '' ? 0 : path.split('.').length)));
  return depth(right) - depth(left) || left.length - right.length;
}

function checkList(field: Extract<SchemaField, { kind: 'list' }>, value: unknown[], path: string): ValueIssue[] {
  const { fewest, most } = field;
  const count: ValueIssue[] =
    fewest !== undefined && value.length < fewest
      ? [{ path, message: `must have at least ${entries(fewest)}` }]
      : most !== undefined && value.length > most
        ? [{ path, message: `must have at most ${entries(most)}` }]
        : [];
  return [
    ...count,
    ...value.flatMap((each, index) =>
      // An entry that was emptied is null, as a list has no holes.
      checkValue(
        field.item,
        each === null && !field.item.isNullable ? undefined : each,
        true,
        join(path, String(index)),
      ),
    ),
  ];
}

function checkText({ fewest, most }: TextLimits, value: string): string[] {
  // As JSON Schema counts: characters, not halves of them.
  const length = [...value].length;
  if (fewest !== undefined && length < fewest)
    return [fewest === 1 ? 'must not be empty' : `must have at least ${characters(fewest)}`];
  return most !== undefined && length > most ? [`must have at most ${characters(most)}`] : [];
}

function checkNumber({ min, max, above, below, step }: NumberLimits, value: number): string[] {
  if (min !== undefined && value < min) return [`must be at least ${min}`];
  if (above !== undefined && value <= above) return [`must be more than ${above}`];
  if (max !== undefined && value > max) return [`must be at most ${max}`];
  if (below !== undefined && value >= below) return [`must be less than ${below}`];
  if (step !== undefined && step > 0 && !isMultiple(value, step)) return [`must be a multiple of ${step}`];
  return [];
}

/** 0.3 is a multiple of 0.1, whatever the computer thinks of it. */
function isMultiple(value: number, step: number): boolean {
  const times = value / step;
  return Math.abs(times - Math.round(times)) < 1e-9 * Math.max(1, Math.abs(times));
}

export function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

/** The hub writes `tags[0].name`; here every step has a dot. */
export function normalPath(path: string): string {
  return path.replace(/\[(\d+)\]/g, '.$1').replace(/^\./, '');
}

function entries(count: number): string {
  return `${count.toLocaleString('en')} ${count === 1 ? 'entry' : 'entries'}`;
}

function characters(count: number): string {
  return `${count.toLocaleString('en')} ${count === 1 ? 'character' : 'characters'}`;
}
