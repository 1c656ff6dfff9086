import type { Page } from '../base/contract-fields.ts';
import { HubError } from '../base/hub-error.ts';
import { cleanText } from './rows.ts';

/** Where a page ended in a list from new to old; ids order rows with the same time. */
export type Position = readonly [at: number, id: string];
/** Where a page ended in any list: what its rows are ordered by. */
export type PositionParts = readonly (number | string)[];

/** Makes a page of at most `limit` rows. An extra row means that there is another page. */
export function toPage<Row, T>(
  rows: readonly Row[],
  limit: number,
  read: { item: (row: Row) => T; position: (row: Row) => PositionParts },
): Page<T> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const cursor = last !== undefined && rows.length > limit ? toCursor(read.position(last)) : null;
  return { items: shown.map(read.item), cursor };
}

export function toCursor(position: PositionParts): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url');
}

/** Throws INVALID_ARGUMENTS for a cursor that no list returned. */
export function parseCursor(cursor: string | undefined): Position | undefined {
  // The check returns as many parts as there are kinds, each of its kind.
  return parsePosition(cursor, ['number', 'string']) as Position | undefined;
}

/** Throws INVALID_ARGUMENTS for a cursor whose parts are not of these kinds: of another list, or of another order. */
export function parsePosition(
  cursor: string | undefined,
  kinds: readonly ('number' | 'string')[],
): PositionParts | undefined {
  if (cursor === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    const parts: unknown[] = Array.isArray(value) ? value : [];
    const fits = (part: unknown, index: number) =>
      kinds[index] === 'number' ? Number.isSafeInteger(part) : kinds[index] === 'string' && typeof part === 'string';
    if (parts.length === kinds.length && parts.every(fits)) {
      return parts.map((part) => (typeof part === 'string' ? cleanText(part) : Number(part)));
    }
  } catch {
    // Reported below.
  }
  throw new HubError(
    'INVALID_ARGUMENTS',
    'The cursor is not valid for this list. Omit it to start from the first page.',
  );
}
