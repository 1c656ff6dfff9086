import { z } from 'zod';

/** Fields that the contracts of several nouns share. */

export const flag = z
  .enum(['true', 'false'])
  .optional()
  .transform((value) => value === 'true');

/** A whole number in a query string. */
export const wholeNumber = z.coerce.number<number>().int();

/** A date or time in a query string, as milliseconds. */
export const moment = z
  .string()
  .max(40)
  .refine((text) => !Number.isNaN(Date.parse(text)), 'must be a date or a time, as in 2026-01-31T08:00:00Z')
  .transform((text) => Date.parse(text));

/** Parses `a,b` into a list; the schema checks each item. */
export function commaList<T extends z.ZodType<string, string>>(item: T) {
  return z
    .string()
    .max(500)
    .transform((text) => text.split(',').filter((each) => each !== ''))
    .pipe(z.array(item).min(1))
    .optional();
}

export const pageQuery = z.strictObject({
  limit: wholeNumber.min(1).max(500).optional().describe('The maximum number of items.'),
  cursor: z.string().min(1).max(500).optional().describe('The cursor of the previous page.'),
});

export type PageQuery = z.infer<typeof pageQuery>;

/** One page of a list. The cursor is null on the last page. */
export interface Page<T> {
  items: T[];
  cursor: string | null;
}

export const nextCursor = z.string().nullable().describe('The cursor of the next page. Null on the last page.');

export const DeletedBody = z.object({ success: z.literal(true), id: z.string() });

/** Ignores fields that the API adds to its replies, so that clients can read a body, change it and send it back. */
export function ignoring<S extends z.ZodType>(
  fields: readonly string[],
  schema: S,
): z.ZodType<z.output<S>, z.input<S>> {
  // `preprocess` accepts anything, but clients send the schema's input.
  return z.preprocess((body) => withoutFields(body, fields), schema) as z.ZodType<z.output<S>, z.input<S>>;
}

/** Leaves anything but an object unchanged, so that the schema rejects it. */
export function withoutFields(body: unknown, fields: readonly string[]): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  return Object.fromEntries(Object.entries(body).filter(([name]) => !fields.includes(name)));
}
