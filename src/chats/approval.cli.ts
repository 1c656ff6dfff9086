import { isTerminal } from '../cli/terminal/ask.ts';
import type { CliContext } from '../cli/terminal/context.ts';
import { fitText, printableLine } from '../cli/terminal/text-width.ts';
import type { ApprovalAnswer, ApprovalRequest } from '../engine/run-events.ts';

/** The replies a user can type; the first letter is enough. */
export const approvalKeys = ['yes', 'no', 'always'] as const;

export function approvalQuestion({ tool, input }: Pick<ApprovalRequest, 'tool' | 'input'>): string {
  return `Let the agent call ${tool} ${fitText(printableLine(JSON.stringify(input)), 200)}?`;
}

export function toApproval(typed: string): ApprovalAnswer {
  return typed === 'yes' ? 'approve' : typed === 'always' ? 'always' : 'deny';
}

/** Returns the decision if the user need not or cannot be asked, or undefined to ask at the terminal. */
export function approvalWithoutAsking(
  context: CliContext,
  { yes }: { yes?: boolean },
  tool: string,
): ApprovalAnswer | undefined {
  if (yes) return 'approve';
  if (isTerminal(context)) return undefined;
  context.stderr.write(
    `zoo: ${tool} needs approval and was denied, because there is no terminal to ask on. Use --yes to approve all calls.\n`,
  );
  return 'deny';
}
