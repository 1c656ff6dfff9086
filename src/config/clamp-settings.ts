import type { z } from 'zod';

/** A number that was replaced by the nearest one that works. */
export interface ClampedSetting {
  path: string;
  message: string;
}

/** Numbers that may lie outside our ranges in a Context Harness file. All others are rejected, because a different number would mean something else. */
const clampable = new Set([
  'chunking.max_tokens',
  'chunking.overlap_tokens',
  'retrieval.candidate_k_keyword',
  'retrieval.candidate_k_vector',
  'retrieval.final_limit',
  'embedding.batch_size',
  'embedding.max_retries',
  'embedding.timeout_secs',
  'max_extract_bytes',
  'timeout',
]);
/** Context Harness accepts zero for these settings, and we use the minimum instead. Others refuse zero in both programs. */
const fromZero = /candidate_k/;

/** Parses settings. Numbers outside a range are replaced by its limit, as far as that makes sense. */
export function parseClamped<T extends z.ZodType>(
  schema: T,
  raw: unknown,
): { result: z.ZodSafeParseResult<z.infer<T>>; clamped: ClampedSetting[] } {
  // Compiling the schema would take longer than validating once without it.
  const first = schema.safeParse(raw, { jitless: true });
  if (first.success) return { result: first, clamped: [] };
  const clamped: ClampedSetting[] = [];
  let value = raw;
  for (const issue of first.error.issues) {
    const path = issue.path.map(String);
    const limit = limitOf(issue);
    const before = valueAt(raw, path);
    const key = path.join('.');
    if (limit === undefined || typeof before !== 'number' || !clampable.has(key)) continue;
    if (before <= 0 && !fromZero.test(key)) continue;
    value = withValue(value, path, limit);
    const side = before > limit ? 'maximum' : 'minimum';
    clamped.push({ path: key, message: `${before} is outside the range; the ${side}, ${limit}, is used.` });
  }
  return clamped.length === 0
    ? { result: first, clamped }
    : { result: schema.safeParse(value, { jitless: true }), clamped };
}

function limitOf(issue: z.core.$ZodIssue): number | undefined {
  const limit = issue.code === 'too_big' ? issue.maximum : issue.code === 'too_small' ? issue.minimum : undefined;
  return typeof limit === 'number' && 'inclusive' in issue && issue.inclusive ? limit : undefined;
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, key) => Object(inner)[key], value);
}

function withValue(value: unknown, [key, ...rest]: readonly string[], next: number): unknown {
  if (key === undefined) return next;
  return { ...Object(value), [key]: withValue(Object(value)[key], rest, next) };
}
