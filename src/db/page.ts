import type { Page } from '../base/contract-fields.ts';
import { HubError } from '../base/hub-error.ts';
import { cleanText } from './rows.ts';

/** Where a page ended: lists go from new to old, and ids decide between rows of one moment. */
export type Position = readonly [at: number, id: string];

/** `rows` are one more than the page holds when there is another one. */
export function toPage<Row, T>(
  rows: readonly Row[],
  limit: number,
  read: { item: (row: Row) => T; position: (row: Row) => Position },
): Page<T> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const cursor = last !== undefined && rows.length > limit ? toCursor(read.position(last)) : null;
  return { items: shown.map(read.item), cursor };
}

export function toCursor(position: Position): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url');
}

/** INVALID_ARGUMENTS for anything that no list gave. */
export function parseCursor(cursor: string | undefined): Position | undefined {
  if (cursor === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    const [at, id]: unknown[] = Array.isArray(value) ? value : [];
    if (Number.isSafeInteger(at) && typeof id === 'string') return [Number(at), cleanText(id)];
  } catch {
    // Answered below.
  }
  throw new HubError('INVALID_ARGUMENTS', 'The cursor is not one that this list gave. Leave it out to begin.');
}
