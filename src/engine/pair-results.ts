import type { Message, MessageBlock, ToolResultBlock, ToolUseBlock } from './message.ts';

/**
 * Returns the conversation as providers accept it: behind each answer with calls stands one tool message, with one result for each call.
 * Results are moved there from wherever they stand; the last of several for a call counts. A call without a result, which a run that
 * ended in the middle leaves behind, gets one that says so. A result without a call is told in words.
 */
export function pairResults(messages: readonly Message[]): readonly Message[] {
  if (messages.every((message, index) => isPaired(message, messages[index - 1], messages[index + 1]))) return messages;
  const { results, orphans } = collectResults(messages);
  return messages.flatMap((message): Message[] => {
    const content = message.content.flatMap((block): MessageBlock[] => {
      if (block.type !== 'tool_result') return [block];
      return orphans.has(block) ? inWords(block) : [];
    });
    const calls = callsOf(message);
    const role = message.role === 'tool' ? 'user' : message.role;
    const own: Message[] = content.length === 0 ? [] : [{ role, content }];
    if (calls.length === 0) return own;
    const given = results.get(message) ?? new Map<string, ToolResultBlock[]>();
    return [...own, { role: 'tool', content: resultsFor(calls, given) }];
  });
}

/** The usual case, which costs one look at each block. */
function isPaired(message: Message, before: Message | undefined, after: Message | undefined): boolean {
  const isAnswered = before !== undefined && callsOf(before).length > 0;
  const results = message.content.filter((block) => block.type === 'tool_result');
  if (callsOf(message).length > 0 && after?.role !== 'tool') return false;
  if (message.role !== 'tool') return results.length === 0;
  const ids = isAnswered ? callsOf(before).map(({ id }) => id) : [];
  return (
    results.length === message.content.length &&
    results.length === ids.length &&
    results.every(({ toolUseId }, index) => toolUseId === ids[index])
  );
}

type ResultsById = Map<string, ToolResultBlock[]>;

/** By the message with the call: providers may use an id again in a later answer, so a result belongs to the newest call before it. */
function collectResults(messages: readonly Message[]) {
  const newest = new Map<string, ResultsById>();
  const results = new Map<Message, ResultsById>();
  const orphans = new Set<ToolResultBlock>();
  for (const message of messages) {
    const own: ResultsById = new Map();
    results.set(message, own);
    for (const block of message.content) {
      if (block.type === 'tool_use' && message.role === 'assistant') newest.set(block.id, own);
      if (block.type !== 'tool_result') continue;
      const { toolUseId } = block;
      const given = newest.get(toolUseId);
      if (given) given.set(toolUseId, [...(given.get(toolUseId) ?? []), block]);
      else orphans.add(block);
    }
  }
  return { results, orphans };
}

function resultsFor(calls: readonly ToolUseBlock[], given: ResultsById): ToolResultBlock[] {
  /** A model may give one id to several calls of an answer: each takes its own result. */
  const left = new Map<string, ToolResultBlock[]>();
  for (const [id, results] of given) {
    left.set(id, results.slice(-calls.filter((call) => call.id === id).length));
  }
  return calls.map((call) => left.get(call.id)?.shift() ?? toInterrupted(call));
}

function callsOf({ role, content }: Message): ToolUseBlock[] {
  return role === 'assistant' ? content.filter((block) => block.type === 'tool_use') : [];
}

function inWords({ name, content, isError, structuredContent }: ToolResultBlock): MessageBlock[] {
  const what = `[${isError ? 'error' : 'result'} of a call of ${name}]`;
  const data = content.length === 0 && structuredContent ? ` ${JSON.stringify(structuredContent)}` : '';
  return [{ type: 'text', text: `${what}${data}` }, ...content];
}

function toInterrupted({ id, name }: ToolUseBlock): ToolResultBlock {
  const text = `The run ended before the call of "${name}" had a result. It may have taken effect.`;
  return { type: 'tool_result', toolUseId: id, name, content: [{ type: 'text', text }], isError: true };
}
