import type { Clock } from '../base/clock.ts';
import { newId } from '../base/ids.ts';
import type { Message, MessageBlock } from '../engine/message.ts';
import { noUsage } from '../engine/usage.ts';
import { linkedIn } from './attachments/attachment-blocks.ts';
import { sourcesOf } from './attachments/read-attachment.ts';
import type { ChatEventBody } from './chat.ts';
import type { AdoptedTurns, ChatStore } from './chat-store.ts';
import type { Chats, CopiedAnswer, ForkedChat } from './chats.ts';

interface ForkParts extends Pick<Chats, 'create' | 'send' | 'remove'> {
  store: Pick<ChatStore, 'adopt' | 'get'>;
  clock: Clock;
}

/** Creates a chat that begins with the messages of another conversation, and sends a message in it. */
export async function forkChat(
  { store, clock, create, send, remove }: ForkParts,
  fork: ForkedChat,
): Promise<{ chatId: string; runId: string }> {
  const { agentId, model, title, from, history, text, attachments = [] } = fork;
  // The last results of a run that was interrupted may be missing in its own list.
  const outside = [...new Set([...fork.outside, ...history.flatMap(({ message }) => sourcesIn(message))])];
  const source = from === null || fork.arguments ? null : await store.get(from);
  // The other conversation may have gone on with another agent, whose arguments it has now.
  const given = fork.arguments ?? (source?.chat.agentId === agentId ? source.arguments : undefined);
  const { id } = await create({ agentId, model, title, arguments: given });
  try {
    if (history.length + attachments.length > 0) {
      const turns = turnsOf(fork, () => newId('msg', clock.now()));
      const linked = [...history.flatMap(({ message }) => linkedIn(message)), ...attachments];
      const hashes = linked.flatMap((each) => ('hash' in each ? [each.hash] : []));
      await store.adopt(id, { turns, from, attachments: hashes, outside: history.length > 0 ? outside : [] });
    }
    // The message may be that of another agent.
    const { workedFor, callerKey } = fork;
    const { runId } = await send(id, { text, attachments, alreadyRead: outside, workedFor, callerKey });
    return { chatId: id, runId };
  } catch (error) {
    await remove(id);
    throw error;
  }
}

/** Groups the messages by the question that they answer. */
function turnsOf({ history, agentId, answers }: ForkedChat, newMessageId: () => string): AdoptedTurns['turns'] {
  const groups: { runId: string; messages: Message[] }[] = [];
  for (const { message, runId } of history) {
    if (message.role === 'user') groups.push({ runId, messages: [] });
    groups.at(-1)?.messages.push(message);
  }
  return groups.map(({ runId, messages }) => {
    const messageId = newMessageId();
    const answer = answers.get(runId);
    const events = [
      ...questionEvents(messages[0], { messageId, runId, answer, agentId }).map((event) => ({
        at: answer?.startedAt,
        event,
      })),
      ...answerEvents(messages.slice(1), { runId, answer }).map((event) => ({ at: answer?.finishedAt, event })),
    ];
    return { runId, messageId, messages, events };
  });
}

interface CopiedTurn {
  runId: string;
  /** Undefined if the run is not stored any more. */
  answer: CopiedAnswer | undefined;
}

function questionEvents(
  question: Message | undefined,
  { messageId, runId, answer, agentId }: CopiedTurn & { messageId: string; agentId: string },
): ChatEventBody[] {
  const attachments = question ? linkedIn(question) : [];
  const files = attachments.length > 0 && { attachments };
  const by = { agentId: answer?.agentId ?? agentId, model: answer?.model ?? '' };
  return [
    { type: 'message.sent', messageId, text: question ? questionIn(question) : '', ...files },
    { type: 'answer.started', runId, messageId, ...by, isCopied: true },
  ];
}

function answerEvents(messages: readonly Message[], { runId, answer }: CopiedTurn): ChatEventBody[] {
  const calls = [...(answer?.calls ?? [])];
  // Ids of calls are unique only within a tick, so each call is used once.
  const durationOf = (id: string): number | undefined => {
    const index = calls.findIndex((call) => call.id === id);
    return index === -1 ? undefined : calls.splice(index, 1)[0]?.durationMs;
  };
  const end = answer?.end ?? {
    status: 'completed',
    reason: 'Copied from another conversation.',
    error: null,
    usage: noUsage,
    cost: null,
  };
  return [
    ...messages.flatMap(({ content }) => content.flatMap((block) => eventsOf(block, { runId, durationOf }))),
    { type: 'answer.finished', runId, ...end },
  ];
}

/** Returns the user's own text: blocks before it are context that the agent added. */
export function questionIn(message: Message): string {
  const last = message.content.findLast((block) => block.type === 'text');
  return last?.text ?? '';
}

function sourcesIn(message: Message): string[] {
  const results = message.content.filter((block) => block.type === 'tool_result');
  return [...sourcesOf(linkedIn(message)), ...results.flatMap(({ outside }) => outside?.source ?? [])];
}

function eventsOf(
  block: MessageBlock,
  { runId, durationOf }: { runId: string; durationOf: (callId: string) => number | undefined },
): ChatEventBody[] {
  switch (block.type) {
    case 'text':
      return [{ type: 'text', runId, delta: block.text }];
    case 'reasoning':
      return [{ type: 'reasoning', runId, delta: block.text }];
    case 'tool_use':
      return [{ type: 'tool.called', runId, id: block.id, tool: block.name, input: block.input }];
    case 'tool_result': {
      const { toolUseId: id, name: tool, content, isError, outside } = block;
      const source = outside && { outside: outside.source };
      const durationMs = durationOf(id);
      const took = durationMs !== undefined && { durationMs };
      return [{ type: 'tool.finished', runId, id, tool, content, isError, ...took, ...source }];
    }
    default:
      return [];
  }
}
