import { untilAborted } from '../base/abort.ts';
import { HubError } from '../base/hub-error.ts';
import type { ExecutableTool } from './executable-tool.ts';
import type { ToolUseBlock } from './message.ts';
import type { Approve } from './run-options.ts';
import type { RunState } from './run-state.ts';

/** Tells whether the call needs approval. */
export function needsApproval(run: RunState, tool: ExecutableTool, use: ToolUseBlock): boolean | Promise<boolean> {
  const { requiresConfirmation } = tool.metadata;
  if (!requiresConfirmation || run.approved.has(use.name)) return false;
  if (requiresConfirmation === true) return true;
  return untilAborted(run.signal, () => requiresConfirmation(use.input));
}

/** Resolves when the user has approved the call. Throws PERMISSION_DENIED, CANCELLED, and the errors of `approve`. */
export async function requestApproval(run: RunState, use: ToolUseBlock): Promise<void> {
  const { approve } = run.options;
  if (!approve) {
    const message = `Tool "${use.name}" needs approval, and nobody can approve it in this run. It was not run.`;
    throw new HubError('PERMISSION_DENIED', message);
  }
  const { promise: answered, resolve: giveTurn } = Promise.withResolvers<void>();
  const myTurn = run.approvalTurn;
  run.approvalTurn = answered;
  try {
    await untilAborted(run.signal, () => myTurn);
    // The previous question may have been answered with "always".
    if (!run.approved.has(use.name)) await ask(run, use, approve);
  } finally {
    giveTurn();
  }
}

async function ask(run: RunState, use: ToolUseBlock, approve: Approve): Promise<void> {
  const { id, name: tool, input } = use;
  run.emit({ type: 'approval.needed', id, tool, input });
  const { signal } = run;
  const answer = await untilAborted(signal, () => approve({ toolUseId: id, tool, input }, { signal }));
  if (answer === 'always') run.approved.add(tool);
  const isApproved = answer === 'approve' || answer === 'always';
  run.emit({ type: 'approval.given', id, answer: isApproved ? answer : 'deny' });
  if (isApproved) return;
  throw new HubError('PERMISSION_DENIED', `This call of "${tool}" was not approved. It was not run.`);
}
