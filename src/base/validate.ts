import type { z } from 'zod';
import { describeIssue } from './describe-issue.ts';
import type { HubErrorCode } from './error-codes.ts';
import { HubError } from './hub-error.ts';

export interface FieldIssue {
  path: string;
  message: string;
}

/** Parses a value with a zod schema. Throws an error that names each invalid field and the rule it breaks. */
export function parseWith<S extends z.ZodType>(
  schema: S,
  value: unknown,
  options: { code?: HubErrorCode; what?: string } = {},
): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issues = fieldIssues(result.error);
  const text = issues.map((issue) => (issue.path ? `${issue.path}: ${issue.message}` : issue.message)).join('; ');
  const what = options.what ? `${options.what}: ` : '';
  throw new HubError(options.code ?? 'INVALID_ARGUMENTS', `${what}${text}`, { details: { issues } });
}

/** Returns what is wrong with each field, in plain words. */
export function fieldIssues(error: z.core.$ZodError, { max = 20 }: { max?: number } = {}): FieldIssue[] {
  return error.issues.slice(0, max).map(describeIssue);
}
