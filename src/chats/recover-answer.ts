import type { Message, MessageBlock, ToolResultBlock } from '../engine/message.ts';
import type { Usage } from '../engine/model.ts';
import { pairResults } from '../engine/pair-results.ts';
import { addUsage, noUsage } from '../engine/usage.ts';
import { newBoundary } from '../tools/outside-text.ts';
import type { ChatEvent } from './chat.ts';

export interface RecoveredAnswer {
  /** Messages to append to the stored ones, so that the conversation can continue. */
  messages: Message[];
  usage: Usage;
  cost: number | null;
}

/**
 * Recovers an answer whose process ended midway. `events` are the events of the answer. `stored` are its stored messages, which may
 * end anywhere; the rest is rebuilt from the events.
 */
export function recoverAnswer(events: readonly ChatEvent[], stored: readonly Message[]): RecoveredAnswer {
  const lastTick = events.filter((event) => event.type === 'tick.started').at(-1)?.tick ?? 0;
  const answers = stored.filter(({ role }) => role === 'assistant');
  // Each tick before the last left a message.
  const isKept = answers.length >= lastTick;
  const partial = isKept ? [] : partialAnswer(events);
  const messages = [...stored, ...partial];
  const results = openResults(messages, events);
  // Only calls of the last message can be open. Earlier messages stay unchanged.
  const last = Math.max(
    0,
    messages.findLastIndex(({ role }) => role === 'assistant'),
  );
  const end = messages.slice(last);
  const paired = pairResults(results.length === 0 ? end : [...end, { role: 'tool', content: results }]);
  return {
    messages: paired.slice(Math.max(0, stored.length - last)),
    ...usageOf(events),
  };
}

/** Returns the text of the last tick. Reasoning is left out, because providers reject it without their signature. */
function partialAnswer(events: readonly ChatEvent[]): Message[] {
  const start = events.findLastIndex(({ type }) => type === 'tick.started' || type === 'tick.retried');
  const current = events.slice(start + 1);
  const text = current.map((event) => (event.type === 'text' ? event.delta : '')).join('');
  const calls = current.flatMap((event): MessageBlock[] =>
    event.type === 'tool.called' ? [{ type: 'tool_use', id: event.id, name: event.tool, input: event.input }] : [],
  );
  const content: MessageBlock[] = [...(text === '' ? [] : [{ type: 'text' as const, text }]), ...calls];
  return content.length === 0 ? [] : [{ role: 'assistant', content }];
}

/** Returns results for calls without one in the conversation: from the events, or a note for calls that awaited approval. */
function openResults(messages: readonly Message[], events: readonly ChatEvent[]): ToolResultBlock[] {
  const last = messages.at(-1);
  if (last?.role !== 'assistant') return [];
  const current = events.slice(events.findLastIndex(({ type }) => type === 'tick.started') + 1);
  return last.content.flatMap((block): ToolResultBlock[] => {
    if (block.type !== 'tool_use') return [];
    const known = { type: 'tool_result' as const, toolUseId: block.id, name: block.name };
    const of = current.filter((event) => 'id' in event && event.id === block.id);
    const end = of.find((event) => event.type === 'tool.finished');
    if (end) {
      const { content, isError, outside: source } = end;
      const outside = source === undefined ? undefined : { source, boundary: newBoundary() };
      return [{ ...known, content, isError, ...(outside && { outside }) }];
    }
    if (of.at(-1)?.type !== 'approval.needed') return [];
    const text = `The call to "${block.name}" was not carried out: it had not been approved when the run ended.`;
    return [{ ...known, content: [{ type: 'text', text }], isError: true }];
  });
}

function usageOf(events: readonly ChatEvent[]): { usage: Usage; cost: number | null } {
  let usage = noUsage;
  let cost: number | null = 0;
  for (const event of events) {
    if (event.type !== 'tick.finished') continue;
    usage = addUsage(usage, event.usage);
    cost = cost === null || event.cost === null ? null : cost + event.cost;
  }
  return { usage, cost };
}
