import { z } from 'zod';

const pageLimit = z.coerce.number().int().min(1).max(500).optional().describe('How many at most.');
export const flag = z
  .enum(['true', 'false'])
  .optional()
  .transform((value) => value === 'true');

/** `a,b` as a list; each must be one of the schema's. */
export function commaList<T extends z.ZodType<string, string>>(item: T) {
  return z
    .string()
    .max(500)
    .transform((text) => text.split(',').filter((each) => each !== ''))
    .pipe(z.array(item).min(1))
    .optional();
}

export const pageQuery = z.strictObject({
  limit: pageLimit,
  cursor: z.string().min(1).max(500).optional().describe('From the page before.'),
});
