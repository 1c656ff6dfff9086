import type { Clock } from '../base/clock.ts';
import { newId } from '../base/ids.ts';
import type { Message, MessageBlock } from '../engine/message.ts';
import { noUsage } from '../engine/usage.ts';
import { linkedIn } from './attachments/attachment-blocks.ts';
import { sourcesOf } from './attachments/read-attachment.ts';
import type { ChatEventBody } from './chat.ts';
import type { AdoptedTurns, ChatStore } from './chat-store.ts';
import type { Chats, ForkedChat } from './chats.ts';

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
function turnsOf({ history, agentId, shownModel }: ForkedChat, newMessageId: () => string): AdoptedTurns['turns'] {
  const turns: { runId: string; messageId: string; messages: Message[]; events: ChatEventBody[] }[] = [];
  for (const { message, runId } of history) {
    if (message.role === 'user') turns.push({ runId, messageId: newMessageId(), messages: [], events: [] });
    const turn = turns.at(-1);
    if (!turn) continue;
    turn.messages.push(message);
    if (message.role === 'user') {
      const { messageId } = turn;
      const attachments = linkedIn(message);
      const files = attachments.length > 0 && { attachments };
      turn.events.push({ type: 'message.sent', messageId, text: questionIn(message), ...files });
      turn.events.push({
        type: 'answer.started',
        runId,
        messageId: turn.messageId,
        agentId,
        model: shownModel,
      });
    } else turn.events.push(...message.content.flatMap((block) => eventsOf(block, turn.runId)));
  }
  for (const { events, runId } of turns) {
    const end = { status: 'completed', reason: 'Copied from another conversation.', error: null } as const;
    events.push({ type: 'answer.finished', runId, ...end, usage: noUsage, cost: 0 });
  }
  return turns;
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

function eventsOf(block: MessageBlock, runId: string): ChatEventBody[] {
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
      return [{ type: 'tool.finished', runId, id, tool, content, isError, durationMs: 0, ...source }];
    }
    default:
      return [];
  }
}
