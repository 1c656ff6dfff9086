import { AgentInput } from '../../../../src/agents/agent.ts';
import { type FieldIssue, fieldIssues } from '../../../../src/base/validate.ts';
import type { Draft } from './draft.ts';

const maxIssues = 100;

/** Returns what the hub would reject, as readable messages. Paths match the hub's, such as `skills[0].name`. */
export function validateDraft(draft: Draft): FieldIssue[] {
  const result = AgentInput.safeParse(draft);
  if (result.success) return [];
  return fieldIssues(result.error, { max: maxIssues }).map(({ path, message }) => ({
    path,
    message: asSentence(message),
  }));
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

function asSentence(message: string): string {
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}${/[.!?]$/.test(message) ? '' : '.'}`;
}
