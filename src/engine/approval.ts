import { untilAborted } from '../base/abort.ts';
import { HubError } from '../base/hub-error.ts';
import type { ExecutableTool } from './executable-tool.ts';
import type { ToolUseBlock } from './message.ts';
import type { Approve } from './run-options.ts';
import type { RunState } from './run-state.ts';

/** Why a call needs approval: the tool requires it, or the run has read text from outside. */
export type ApprovalReason = 'tool' | 'outside';

/** Returns why the call needs approval; undefined if it needs none. Throws PERMISSION_DENIED if nobody may approve it. */
export function whyApproval(
  run: RunState,
  tool: ExecutableTool,
  use: ToolUseBlock,
): ApprovalReason | undefined | Promise<ApprovalReason | undefined> {
  const { requiresConfirmation, canHarm } = tool.metadata;
  const { afterUntrusted = 'ask' } = run.options;
  const isHarmful = typeof canHarm === 'function' ? canHarm(use.input) : canHarm;
  if (isHarmful && !run.outside.isEmpty && afterUntrusted !== 'allow') {
    if (afterUntrusted === 'deny') throw deniedAfterReading(run, use.name);
    return untilAborted(run.signal, async () =>
      (await wasApproved(run, use.name, 'outside')) ? undefined : 'outside',
    );
  }
  if (!requiresConfirmation) return undefined;
  return untilAborted(run.signal, async () => {
    if (requiresConfirmation !== true && !(await requiresConfirmation(use.input))) return undefined;
    return (await wasApproved(run, use.name, 'tool')) ? undefined : 'tool';
  });
}

/** Tells whether the user approved calls to the tool before: for this conversation or, unless it has read text from outside, always. */
async function wasApproved({ approved, options }: RunState, tool: string, reason: ApprovalReason): Promise<boolean> {
  if (await approved.has(tool, reason === 'outside')) return true;
  return reason === 'tool' && ((await options.grants?.has(tool)) ?? false);
}

/** Resolves when the user has approved the call, or if it needs no approval. Throws PERMISSION_DENIED, CANCELLED, and the errors of `approve`. */
export async function requestApproval(
  run: RunState,
  tool: ExecutableTool,
  { use, reason }: { use: ToolUseBlock; reason: ApprovalReason | undefined },
): Promise<void> {
  if (!reason) return;
  const { approve } = run.options;
  const { length } = JSON.stringify(use.input) ?? '';
  if (length > maxShownCharacters) throw tooLongToShow(use.name, length);
  if (!approve) {
    if (reason === 'outside') throw deniedAfterReading(run, use.name);
    const message = `Tool "${use.name}" needs approval, and nobody can approve it in this run. It was not run.`;
    throw new HubError('PERMISSION_DENIED', message);
  }
  const { promise: answered, resolve: giveTurn } = Promise.withResolvers<void>();
  const myTurn = run.approvalTurn;
  run.approvalTurn = answered;
  try {
    await untilAborted(run.signal, () => myTurn);
    // The previous question may have been answered for all calls of the tool.
    if (!(await wasApproved(run, use.name, reason))) {
      await ask(run, { use, reason, approve, message: questionOf(tool, use) });
    }
  } finally {
    giveTurn();
  }
}

interface Question {
  use: ToolUseBlock;
  reason: ApprovalReason;
  approve: Approve;
  message: string;
}

function questionOf({ metadata }: ExecutableTool, { name, input }: ToolUseBlock): string {
  const { confirmationMessage = `Allow ${name} to execute?` } = metadata;
  return typeof confirmationMessage === 'function' ? confirmationMessage(input) : confirmationMessage;
}

async function ask(run: RunState, { use, reason, approve, message }: Question): Promise<void> {
  const { id, name: tool, input } = use;
  const { signal, outside } = run;
  const because = reason === 'outside' ? { outside: outside.sources } : {};
  run.emit({ type: 'approval.needed', id, tool, input, ...because });
  const request = { toolUseId: id, tool, input, message, ...because };
  const answer = await untilAborted(signal, () => approve(request, { signal }));
  const { grants } = run.options;
  // A stored approval does not count after reading, so "always" then holds for this conversation, too.
  if (answer === 'chat' || (answer === 'always' && (!grants || reason === 'outside')))
    await run.approved.add(tool, reason === 'outside');
  if (answer === 'always') await grants?.add(tool);
  const isApproved = answer === 'approve' || answer === 'chat' || answer === 'always';
  run.emit({ type: 'approval.given', id, answer: isApproved ? answer : 'deny' });
  if (isApproved) return;
  throw new HubError('PERMISSION_DENIED', `This call to "${tool}" was not approved. It was not run.`);
}

/** Chats store events of at most a million characters. A longer input cannot be shown, so it cannot be approved. */
const maxShownCharacters = 900_000;

function tooLongToShow(tool: string, length: number): HubError {
  const message = `Tool "${tool}" was not run: it needs approval, and its input of ${length} characters is too long to show. Send at most ${maxShownCharacters}.`;
  return new HubError('PERMISSION_DENIED', message);
}

function deniedAfterReading({ outside, options }: RunState, tool: string): HubError {
  const setting = options.afterUntrusted ?? 'ask';
  const why = setting === 'deny' ? 'such calls are denied' : 'nobody can be asked in this run';
  return new HubError(
    'PERMISSION_DENIED',
    `Tool "${tool}" can send or destroy something and was not run: this conversation has read text from outside (${outside.sources.join('; ')}), and ${why}. The setting is [engine] after_untrusted = "${setting}"; "allow" lets such calls run.`,
  );
}
