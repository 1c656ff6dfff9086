import {
  automaticDecision,
  automaticWords,
  type DecisionEntry,
  decisionKinds,
  isWorded,
} from '../tools/decision-log.ts';

/** An entry takes two lines: its fields as JSON, then its context, which is JSON without line breaks. */
type Head = [
  callId: string,
  /** Names its kind, and whether the context is written as a JSON string: see `codeOf`. */
  code: number,
  at: number,
  surface: string,
  agentId: string | null,
  persona: string | null,
  taskId: string | null,
  tool: string,
  /** Omitted for automatic entries, whose wording follows from kind and tool. They name the client here, if there is one. */
  decision?: string | { client: string },
  reasoning?: string,
];

/** The fields by which an entry is found and counted. */
export type DecisionHead = Pick<DecisionEntry, 'kind' | 'at' | 'agentId' | 'taskId' | 'tool'>;

/** The kinds of the first version. Their codes are fixed: 0 to 3, and 4 more if the context is quoted. Later kinds take two codes each. */
const firstKinds = 4;

/** Returns the format that hashes cover. It must never change, because every existing log is verified with it. */
export function packEntry(entry: DecisionEntry): string {
  const { callId, kind, at, surface, agentId, persona, taskId, tool, context } = entry;
  const isQuoted = context.includes('\n');
  const code = codeOf(kind, isQuoted);
  const by = entry.client === undefined ? '' : `,${JSON.stringify({ client: entry.client })}`;
  const words = isAutomatic(entry) ? by : `,${JSON.stringify(entry.decision)},${JSON.stringify(entry.reasoning)}`;
  const who = `${toJson(surface)},${toJson(agentId)},${toJson(persona)},${toJson(taskId)}`;
  const head = `[${toJson(callId)},${code},${at},${who},${toJson(tool)}${words}]`;
  return `${head}\n${isQuoted ? JSON.stringify(context) : context}\n`;
}

/**
 * Returns the entries of a text. With `holds`, entries whose fields do not contain that value are undefined, which is faster than
 * parsing them. Throws SyntaxError for a text that `packEntry` did not write.
 */
export function unpackEntries(text: string, holds?: string | undefined): (DecisionEntry | undefined)[] {
  const wanted = holds === undefined ? undefined : JSON.stringify(holds);
  const entries: (DecisionEntry | undefined)[] = [];
  eachEntry(text, (head, start, end) => {
    const mayMatch = wanted === undefined || head.includes(wanted);
    entries.push(mayMatch ? toEntry(parseHead(head), text.slice(start, end)) : undefined);
  });
  return entries;
}

/** Like `unpackEntries`, but without wording and contexts, which are most of the text. */
export function unpackHeads(text: string): DecisionHead[] {
  const heads: DecisionHead[] = [];
  eachEntry(text, (head) => {
    const [, code, at, , agentId, , taskId, tool] = parseHead(head);
    heads.push({ kind: kindOf(code), at, agentId, taskId, tool });
  });
  return heads;
}

/** Replaces NUL, which PostgreSQL rejects. */
export function withoutNul(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '\ufffd') : text;
}

function eachEntry(text: string, visit: (head: string, contextStart: number, contextEnd: number) => void): void {
  for (let start = 0; start < text.length; ) {
    const middle = text.indexOf('\n', start);
    const end = text.indexOf('\n', middle + 1);
    if (middle === -1 || end === -1) throw new SyntaxError('An entry of the decision log is cut off.');
    visit(text.slice(start, middle), middle + 1, end);
    start = end + 1;
  }
}

function parseHead(text: string): Head {
  const head: unknown = JSON.parse(text);
  if (!Array.isArray(head)) throw new SyntaxError('An entry of the decision log has no fields.');
  // Only `packEntry` writes it; the hash reveals any other writer.
  return head as Head;
}

function codeOf(kind: DecisionEntry['kind'], isQuoted: boolean): number {
  const index = decisionKinds.indexOf(kind);
  return index < firstKinds ? index + (isQuoted ? firstKinds : 0) : index * 2 + (isQuoted ? 1 : 0);
}

function kindOf(code: number): DecisionEntry['kind'] {
  const index = code < firstKinds * 2 ? code % firstKinds : Math.floor(code / 2);
  return decisionKinds[index] ?? 'manual';
}

function isQuotedCode(code: number): boolean {
  return code < firstKinds * 2 ? code >= firstKinds : code % 2 === 1;
}

function toEntry(head: Head, context: string): DecisionEntry {
  const [callId, code, at, surface, agentId, persona, taskId, tool, decision, reasoning] = head;
  const kind = kindOf(code);
  // The wording of these entries is never omitted.
  const known = isWorded(kind) ? 'invocation' : kind;
  return {
    callId,
    kind,
    at,
    surface,
    agentId,
    persona,
    taskId,
    tool,
    ...(typeof decision === 'object' && { client: decision.client }),
    decision: typeof decision === 'string' ? decision : automaticDecision(known, tool),
    reasoning: reasoning ?? automaticWords[known].reasoning,
    context: isQuotedCode(code) ? JSON.parse(context) : context,
  };
}

function isAutomatic({ kind, tool, decision, reasoning }: DecisionEntry): boolean {
  if (isWorded(kind)) return false;
  return reasoning === automaticWords[kind].reasoning && decision === automaticDecision(kind, tool);
}

/** Characters that need no escape in JSON. Ids and names of tools and surfaces have no others. */
const plain = /^[\w .:-]*$/;

function toJson(text: string | null): string {
  if (text === null) return 'null';
  return plain.test(text) ? `"${text}"` : JSON.stringify(text);
}
