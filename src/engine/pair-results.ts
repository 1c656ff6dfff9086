import type { Message, MessageBlock, ToolResultBlock, ToolUseBlock } from './message.ts';

/**
 * Returns the conversation in the form that providers accept: each answer with calls is followed by one tool message with one result per
 * call. Results are moved there from anywhere; if a call has several results, the last one counts. A call without a result, left behind by
 * an interrupted run, gets one that says so. A result without a call becomes text.
 */
export function pairResults(messages: readonly Message[]): readonly Message[] {
  if (messages.every((message, index) => isPaired(message, messages[index - 1], messages[index + 1]))) return messages;
  const { results, orphans } = collectResults(messages);
  return messages.flatMap((message): Message[] => {
    const content = message.content.flatMap((block): MessageBlock[] => {
      if (block.type !== 'tool_result') return [block];
      return orphans.has(block) ? toText(block) : [];
    });
    const calls = callsOf(message);
    const role = message.role === 'tool' ? 'user' : message.role;
    const rest: Message[] = content.length === 0 ? [] : [{ role, content }];
    if (calls.length === 0) return rest;
    const resultsById = results.get(message) ?? new Map<string, ToolResultBlock[]>();
    return [...rest, { role: 'tool', content: resultsFor(calls, resultsById) }];
  });
}

/** The usual case, which only looks at each block once. */
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

/** Groups results by the message with the call. Providers may reuse an id in a later answer, so a result belongs to the newest call before it. */
function collectResults(messages: readonly Message[]) {
  const newest = new Map<string, ResultsById>();
  const results = new Map<Message, ResultsById>();
  const orphans = new Set<ToolResultBlock>();
  for (const message of messages) {
    const resultsOfMessage: ResultsById = new Map();
    results.set(message, resultsOfMessage);
    for (const block of message.content) {
      if (block.type === 'tool_use' && message.role === 'assistant') newest.set(block.id, resultsOfMessage);
      if (block.type !== 'tool_result') continue;
      const { toolUseId } = block;
      const resultsOfCall = newest.get(toolUseId);
      if (resultsOfCall) resultsOfCall.set(toolUseId, [...(resultsOfCall.get(toolUseId) ?? []), block]);
      else orphans.add(block);
    }
  }
  return { results, orphans };
}

function resultsFor(calls: readonly ToolUseBlock[], resultsById: ResultsById): ToolResultBlock[] {
  /** A model may give the same id to several calls of an answer; each takes its own result. */
  const left = new Map<string, ToolResultBlock[]>();
  for (const [id, results] of resultsById) {
    left.set(id, results.slice(-calls.filter((call) => call.id === id).length));
  }
  return calls.map((call) => left.get(call.id)?.shift() ?? toInterrupted(call));
}

function callsOf({ role, content }: Message): ToolUseBlock[] {
  return role === 'assistant' ? content.filter((block) => block.type === 'tool_use') : [];
}

function toText({ name, content, isError, structuredContent }: ToolResultBlock): MessageBlock[] {
  const what = `[${isError ? 'error' : 'result'} of a call to ${name}]`;
  const data = content.length === 0 && structuredContent ? ` ${JSON.stringify(structuredContent)}` : '';
  return [{ type: 'text', text: `${what}${data}` }, ...content];
}

function toInterrupted({ id, name }: ToolUseBlock): ToolResultBlock {
  const text = `The run ended before the call to "${name}" had a result. It may have taken effect.`;
  return { type: 'tool_result', toolUseId: id, name, content: [{ type: 'text', text }], isError: true };
}
