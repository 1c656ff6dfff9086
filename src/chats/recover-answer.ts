import type { Message, MessageBlock, ToolResultBlock } from '../engine/message.ts';
import type { Usage } from '../engine/model.ts';
import { pairResults } from '../engine/pair-results.ts';
import { addUsage, noUsage } from '../engine/usage.ts';
import type { ChatEvent } from './chat.ts';

export interface RecoveredAnswer {
  /** What is to be added to the messages that are kept, so that the conversation can go on. */
  messages: Message[];
  usage: Usage;
  cost: number | null;
}

/**
 * What an answer came to whose process ended in its middle. `events` are those of the answer; `kept` are the messages of the model
 * that were kept of it, which may end anywhere: the rest is made from what people were shown.
 */
export function recoverAnswer(events: readonly ChatEvent[], kept: readonly Message[]): RecoveredAnswer {
  const lastTick = events.filter((event) => event.type === 'tick.started').at(-1)?.tick ?? 0;
  const answers = kept.filter(({ role }) => role === 'assistant');
  // Each tick before the last one left an answer.
  const isKept = answers.length >= lastTick;
  const partial = isKept ? [] : partialAnswer(events);
  const messages = [...kept, ...partial];
  const results = openResults(messages, events);
  // Only calls of the last answer can be open. What was kept before it stays as it is.
  const last = Math.max(
    0,
    messages.findLastIndex(({ role }) => role === 'assistant'),
  );
  const end = messages.slice(last);
  const paired = pairResults(results.length === 0 ? end : [...end, { role: 'tool', content: results }]);
  return {
    messages: paired.slice(Math.max(0, kept.length - last)),
    ...usageOf(events),
  };
}

/** The text of the last tick. Reasoning without the signature of its provider is of no use to it. */
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

/** What is known of calls that have no result in the conversation: those that had one, and those that waited for a person. */
function openResults(messages: readonly Message[], events: readonly ChatEvent[]): ToolResultBlock[] {
  const last = messages.at(-1);
  if (last?.role !== 'assistant') return [];
  const current = events.slice(events.findLastIndex(({ type }) => type === 'tick.started') + 1);
  return last.content.flatMap((block): ToolResultBlock[] => {
    if (block.type !== 'tool_use') return [];
    const known = { type: 'tool_result' as const, toolUseId: block.id, name: block.name };
    const of = current.filter((event) => 'id' in event && event.id === block.id);
    const end = of.find((event) => event.type === 'tool.finished');
    if (end) return [{ ...known, content: end.content, isError: end.isError }];
    if (of.at(-1)?.type !== 'approval.needed') return [];
    const text = `The call of "${block.name}" was not carried out: nobody had approved it when the run ended.`;
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
