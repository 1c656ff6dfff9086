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
  const results = new Map<string, ToolResultBlock>();
  for (const block of messages.flatMap((message) => message.content)) {
    if (block.type === 'tool_result') results.set(block.toolUseId, block);
  }
  const states = new Map(calls.map((call) => [call.id, call.state]));
  const shown = new Set<string>();
  const turns = messages.flatMap((message) =>
    message.content.flatMap((block): RunTurn[] => {
      switch (block.type) {
        case 'tool_use': {
          shown.add(block.id);
          const result = results.get(block.id) ?? null;
          const state = result ? endOf(result) : (states.get(block.id) ?? 'waiting');
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
    }),
  );
  // Calls that were started in a tick whose message was never stored.
  const open = calls.filter((call) => !shown.has(call.id) && (status === 'running' || status === 'interrupted'));
  return [
    ...turns,
    ...open.map(({ id, tool, state }): RunTurn => ({ kind: 'call', id, tool, input: undefined, result: null, state })),
  ];
}

function turnsOf({ role }: Message, block: ContentBlock): RunTurn[] {
  return block.type === 'text' && block.text.trim() === '' ? [] : [{ kind: 'said', role, block }];
}

function endOf(result: ToolResultBlock): CallState {
  return result.isError ? 'failed' : 'finished';
}
