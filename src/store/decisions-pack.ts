import { automaticDecision, automaticWords, type DecisionEntry, decisionKinds } from '../tools/decision-log.ts';

/** Every entry is two lines: its fields as JSON, and its context, which is JSON already and has no line breaks. */
type Head = [
  callId: string,
  /** Place among the kinds; so much more when the context is written as a JSON string. */
  kind: number,
  at: number,
  surface: string,
  agentId: string | null,
  persona: string | null,
  taskId: string | null,
  tool: string,
  /** Left out where they are the pipeline's own. */
  decision?: string,
  reasoning?: string,
];

const quoted = decisionKinds.length;

export function packEntry(entry: DecisionEntry): string {
  const { callId, kind, at, surface, agentId, persona, taskId, tool, context } = entry;
  const isQuoted = context.includes('\n');
  const code = decisionKinds.indexOf(kind) + (isQuoted ? quoted : 0);
  const words = isAutomatic(entry) ? '' : `,${JSON.stringify(entry.decision)},${JSON.stringify(entry.reasoning)}`;
  const who = `${toJson(surface)},${toJson(agentId)},${toJson(persona)},${toJson(taskId)}`;
  const head = `[${toJson(callId)},${code},${at},${who},${toJson(tool)}${words}]`;
  return `${head}\n${isQuoted ? JSON.stringify(context) : context}\n`;
}

/** Letters that JSON writes as they are: ids, names of tools and surfaces have no others. */
const plain = /^[\w .:-]*$/;

function toJson(text: string | null): string {
  if (text === null) return 'null';
  return plain.test(text) ? `"${text}"` : JSON.stringify(text);
}

/**
 * Throws where the text is none of `packEntry`: somebody changed it. `holds`: those without this value among their fields are
 * left out, unread; their places stay empty.
 */
export function unpackEntries(text: string, holds?: string | undefined): (DecisionEntry | undefined)[] {
  const wanted = holds === undefined ? undefined : JSON.stringify(holds);
  const entries: (DecisionEntry | undefined)[] = [];
  for (let start = 0; start < text.length; ) {
    const middle = text.indexOf('\n', start);
    const end = text.indexOf('\n', middle + 1);
    if (middle === -1 || end === -1) throw new SyntaxError('An entry of the decision log is cut off.');
    const head = text.slice(start, middle);
    const isMeant = wanted === undefined || head.includes(wanted);
    entries.push(isMeant ? unpackEntry(JSON.parse(head), text.slice(middle + 1, end)) : undefined);
    start = end + 1;
  }
  return entries;
}

/** What an entry is found and counted by. */
export type DecisionHead = Pick<DecisionEntry, 'kind' | 'at' | 'agentId' | 'taskId' | 'tool'>;

/** Without words and contexts, which are most of the text. Throws where the text is none of `packEntry`. */
export function unpackHeads(text: string): DecisionHead[] {
  const heads: DecisionHead[] = [];
  for (let start = 0; start < text.length; ) {
    const middle = text.indexOf('\n', start);
    const end = text.indexOf('\n', middle + 1);
    if (middle === -1 || end === -1) throw new SyntaxError('An entry of the decision log is cut off.');
    const head: unknown = JSON.parse(text.slice(start, middle));
    if (!Array.isArray(head)) throw new SyntaxError('An entry of the decision log has no fields.');
    // Written by `packEntry` only; whoever changed it is found by its hash.
    const [, code, at, , agentId, , taskId, tool] = head as Head;
    heads.push({ kind: decisionKinds[code % quoted] ?? 'manual', at, agentId, taskId, tool });
    start = end + 1;
  }
  return heads;
}

function unpackEntry(head: unknown, context: string): DecisionEntry {
  if (!Array.isArray(head)) throw new SyntaxError('An entry of the decision log has no fields.');
  // Written by `packEntry` only; whoever changed it is found by its hash.
  const [callId, code, at, surface, agentId, persona, taskId, tool, decision, reasoning] = head as Head;
  const kind = decisionKinds[code % quoted] ?? 'manual';
  const known = kind === 'manual' ? undefined : automaticWords[kind];
  return {
    callId,
    kind,
    at,
    surface,
    agentId,
    persona,
    taskId,
    tool,
    decision: decision ?? `${known?.decision}: ${tool}`,
    reasoning: reasoning ?? `${known?.reasoning}`,
    context: code >= quoted ? JSON.parse(context) : context,
  };
}

function isAutomatic({ kind, tool, decision, reasoning }: DecisionEntry): boolean {
  if (kind === 'manual') return false;
  return reasoning === automaticWords[kind].reasoning && decision === automaticDecision(kind, tool);
}
