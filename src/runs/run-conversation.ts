import type { CallState } from '../chats/call-state.ts';
import type { Message, ToolResultBlock } from '../engine/message.ts';
import type { StoredRunDetail } from '../engine/run-store.ts';
import type { ContentBlock } from '../tools/content.ts';

export type RunTurn =
  | { kind: 'said'; role: 'system' | 'user' | 'assistant' | 'tool'; block: ContentBlock }
  | { kind: 'thought'; text: string }
  | { kind: 'call'; id: string; tool: string; input: unknown; result: ToolResultBlock | null; state: CallState };

/** Returns a run's messages for reading: each call with its result, in order. */
export function conversationOf({
  messages,
  calls,
  status,
}: Pick<StoredRunDetail, 'messages' | 'calls' | 'status'>): RunTurn[] {
  const states = new Map(calls.map((call) => [call.id, call.state]));
  const lastAnswer = messages.findLastIndex(({ role }) => role === 'assistant');
  /** The calls of the current tick that a message contains. */
  const shown = new Set<string>();
  const turns = messages.flatMap((message, index) => {
    const results = resultsAfter(messages, index);
    return message.content.flatMap((block): RunTurn[] => {
      switch (block.type) {
        case 'tool_use': {
          const result = results.get(block.id) ?? null;
          const stored = states.get(block.id) ?? 'waiting';
          // With a result, an open call is another one, for which the provider used the id again.
          const isOther = result !== null && (stored === 'running' || stored === 'waiting');
          if (index === lastAnswer && !isOther) shown.add(block.id);
          const state = result ? endOf(result) : stored;
          return [{ kind: 'call', id: block.id, tool: block.name, input: block.input, result, state }];
        }
        case 'tool_result':
          return [];
        case 'reasoning':
          return block.text.trim() === '' ? [] : [{ kind: 'thought', text: block.text }];
        case 'file_link': {
          const { url, mimeType } = block;
          return turnsOf(message, { type: 'resource_link', uri: url, name: url, mimeType });
        }
        default:
          return turnsOf(message, block);
      }
    });
  });
  // Calls that were started in a tick whose message was never stored.
  const open = calls.filter((call) => !shown.has(call.id) && (status === 'running' || status === 'interrupted'));
  return [
    ...turns,
    ...open.map(({ id, tool, state }): RunTurn => ({ kind: 'call', id, tool, input: undefined, result: null, state })),
  ];
}

/** Returns the results of the calls of a message. Some providers use the id of a call again in a later message. */
function resultsAfter(messages: readonly Message[], index: number): Map<string, ToolResultBlock> {
  const results = new Map<string, ToolResultBlock>();
  for (let next = index + 1; next < messages.length && messages[next]?.role !== 'assistant'; next += 1) {
    for (const block of messages[next]?.content ?? [])
      if (block.type === 'tool_result') results.set(block.toolUseId, block);
  }
  return results;
}

function turnsOf({ role }: Message, block: ContentBlock): RunTurn[] {
  return block.type === 'text' && block.text.trim() === '' ? [] : [{ kind: 'said', role, block }];
}

function endOf(result: ToolResultBlock): CallState {
  return result.isError ? 'failed' : 'finished';
}
