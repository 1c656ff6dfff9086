import { isRecord } from '../../../src/base/is-record.ts';
import { sameJson, UnreadText, valueAt } from './form-value.ts';
import type { NumberLimits, SchemaField, TextLimits } from './schema-fields.ts';

export interface ValueIssue {
  /** Such as `filters.tags.0`; empty for the whole value. */
  path: string;
  message: string;
}

export const isMissing = 'is required';

/**
 * Checks a value before it is sent: types, required fields and limits. The hub checks the rest of the schema, such as
 * patterns, and has the last word.
 */
export function checkValue(field: SchemaField, value: unknown, isRequired = true, path = ''): ValueIssue[] {
  const wrong = (message: string): ValueIssue[] => [{ path, message }];
  if (value === undefined) return isRequired ? wrong(isMissing) : [];
  if (value === null && field.isNullable) return [];
  switch (field.kind) {
    case 'text':
      return typeof value === 'string' ? checkText(field.limits, value).flatMap(wrong) : wrong('must be text');
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
      return value instanceof UnreadText ? wrong('is not valid JSON') : [];
  }
}

/** Prefers the alternative that fails deepest: it is the one the user most likely meant. */
function byDepth(left: readonly ValueIssue[], right: readonly ValueIssue[]): number {
  const depth = (issues: readonly ValueIssue[]) =>
    Math.min(...issues.map(({ path }) => (path === '' ? 0 : path.split('.').length)));
  return depth(right) - depth(left) || left.length - right.length;
}

function checkList(field: Extract<SchemaField, { kind: 'list' }>, value: unknown[], path: string): ValueIssue[] {
  const { min, max } = field;
  const count: ValueIssue[] =
    min !== undefined && value.length < min
      ? [{ path, message: `must have at least ${items(min)}` }]
      : max !== undefined && value.length > max
        ? [{ path, message: `must have at most ${items(max)}` }]
        : [];
  return [
    ...count,
    ...value.flatMap((each, index) =>
      // A cleared entry is null.
      checkValue(
        field.item,
        each === null && !field.item.isNullable ? undefined : each,
        true,
        join(path, String(index)),
      ),
    ),
  ];
}

function checkText({ min, max }: TextLimits, value: string): string[] {
  // JSON Schema counts code points, not UTF-16 units.
  const length = [...value].length;
  if (min !== undefined && length < min)
    return [min === 1 ? 'must not be empty' : `must have at least ${characters(min)}`];
  return max !== undefined && length > max ? [`must have at most ${characters(max)}`] : [];
}

function checkNumber({ min, max, above, below, step }: NumberLimits, value: number): string[] {
  if (min !== undefined && value < min) return [`must be at least ${min}`];
  if (above !== undefined && value <= above) return [`must be more than ${above}`];
  if (max !== undefined && value > max) return [`must be at most ${max}`];
  if (below !== undefined && value >= below) return [`must be less than ${below}`];
  if (step !== undefined && step > 0 && !isMultiple(value, step)) return [`must be a multiple of ${step}`];
  return [];
}

/** Tolerates floating-point error: 0.3 is a multiple of 0.1. */
function isMultiple(value: number, step: number): boolean {
  const times = value / step;
  return Math.abs(times - Math.round(times)) < 1e-9 * Math.max(1, Math.abs(times));
}

export function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

/** Converts the hub's `tags[0].name` to `tags.0.name`. */
export function normalPath(path: string): string {
  return path.replace(/\[(\d+)\]/g, '.$1').replace(/^\./, '');
}

function items(count: number): string {
  return `${count.toLocaleString('en')} ${count === 1 ? 'item' : 'items'}`;
}

function characters(count: number): string {
  return `${count.toLocaleString('en')} ${count === 1 ? 'character' : 'characters'}`;
}
