import { AgentInput } from '../../../../src/agents/agent.ts';
import type { FieldIssue } from '../../../../src/base/validate.ts';
import type { Draft } from './draft.ts';

const maxIssues = 100;

/** Returns what the hub would reject, as readable messages. Paths match the hub's, such as `skills[0].name`. */
export function validateDraft(draft: Draft): FieldIssue[] {
  const result = AgentInput.safeParse(draft);
  if (result.success) return [];
  return result.error.issues.slice(0, maxIssues).map((issue) => ({
    path: formatPath(issue.path),
    message: issue.code === 'too_big' ? tooBig(issue) : asSentence(issue.message),
  }));
}

function tooBig({ maximum, origin }: { maximum: number | bigint; origin: string }): string {
  const unit = origin === 'array' ? ' entries' : origin === 'string' ? ' characters' : '';
  return `At most ${maximum.toLocaleString('en')}${unit}.`;
}

/** Returns the first message at exactly this path. */
export function issueAt(issues: readonly FieldIssue[], path: string): string | undefined {
  return issues.find((issue) => issue.path === path)?.message;
}

/** Counts the messages at or below a field. */
export function countIssues(issues: readonly FieldIssue[], field: string): number {
  return issues.filter(({ path }) => path === field || path.startsWith(`${field}.`) || path.startsWith(`${field}[`))
    .length;
}

function formatPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, part) =>
      typeof part === 'number' ? `${text}[${part}]` : text === '' ? String(part) : `${text}.${String(part)}`,
    '',
  );
}

function asSentence(message: string): string {
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}${/[.!?]$/.test(message) ? '' : '.'}`;
}
