import type { Page } from '../base/contract-fields.ts';
import { HubError } from '../base/hub-error.ts';
import { cleanText } from './rows.ts';

/** Where a page ended. Lists run from new to old; ids order rows with the same time. */
export type Position = readonly [at: number, id: string];

/** Makes a page of at most `limit` rows. An extra row means that there is another page. */
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

/** Throws INVALID_ARGUMENTS for a cursor that no list returned. */
export function parseCursor(cursor: string | undefined): Position | undefined {
  if (cursor === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    const [at, id]: unknown[] = Array.isArray(value) ? value : [];
    if (Number.isSafeInteger(at) && typeof id === 'string') return [Number(at), cleanText(id)];
  } catch {
    // Reported below.
  }
  throw new HubError(
    'INVALID_ARGUMENTS',
    'The cursor is not valid for this list. Omit it to start from the first page.',
  );
}
