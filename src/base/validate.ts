import type { z } from 'zod';
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

const maxIssues = 20;

export function fieldIssues(error: z.ZodError): FieldIssue[] {
  return error.issues.slice(0, maxIssues).map((issue) => ({
    path: formatPath(issue.path),
    message: isMissing(issue) ? 'is required' : shorten(issue.message, 300),
  }));
}

/** zod reports a missing field as "expected string, received undefined". */
function isMissing({ code, message }: z.core.$ZodIssue): boolean {
  return (code === 'invalid_type' || code === 'invalid_value') && message.endsWith('received undefined');
}

function formatPath(path: readonly PropertyKey[]): string {
  return path
    .map((part, index) =>
      typeof part === 'number' ? `[${part}]` : `${index === 0 ? '' : '.'}${shorten(String(part))}`,
    )
    .join('');
}

function shorten(text: string, maxLength = 80): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}
