import type { DecisionBody, DecisionListBody } from '../../src/decisions/decisions.contract.ts';

/** An entry without what was put in or came out, of which a list of thousands keeps one line. */
export interface DecisionLine extends Omit<DecisionBody, 'context' | 'hash' | 'chain' | 'chainNo'> {
  summary: string;
}

export interface DecisionLines {
  lines: DecisionLine[];
  cursor: string | null;
  newest: string | null;
  /** How far into the past this page looked, where more is to come. */
  lookedBackTo: number | null;
}

const longestSummary = 180;

export function toLines({ decisions, cursor, newest }: DecisionListBody): DecisionLines {
  return { lines: decisions.map(toLine), cursor, newest, lookedBackTo: cursor === null ? null : timeIn(cursor) };
}

/** A cursor begins with the time at which the next page goes on; one that does not is still a cursor. */
function timeIn(cursor: string): number | null {
  const [, at] = /^([0-9a-z]{6,9})\./.exec(cursor) ?? [];
  return at === undefined ? null : Number.parseInt(at, 36);
}

function toLine(body: DecisionBody): DecisionLine {
  const { context: _context, hash: _hash, chain: _chain, chainNo: _chainNo, ...line } = body;
  return { ...line, summary: summarize(body) };
}

/** What happened, in one line: the words of a note, the message of an error, else what went in or came out. */
export function summarize({ kind, decision, reasoning, context }: DecisionBody): string {
  if (kind === 'manual') return cut(reasoning ? `${decision} — ${reasoning}` : decision);
  if (isRecord(context)) {
    if (context.truncated === true && typeof context.head === 'string') return cut(context.head);
    if (kind === 'error' && typeof context.message === 'string')
      return cut(typeof context.code === 'string' ? `${context.code}: ${context.message}` : context.message);
    const said = textOfContent(context.content);
    if (said !== undefined) return cut(said);
    const parts = Object.entries(context).map(([name, value]) => `${name}: ${inline(value)}`);
    if (parts.length === 0) return kind === 'invocation' ? 'no input' : 'nothing';
    return cut(parts.join(' · '));
  }
  return context === null || context === undefined ? cut(decision) : cut(inline(context));
}

/** What a tool said in MCP's own words. */
function textOfContent(content: unknown): string | undefined {
  if (!Array.isArray(content)) return undefined;
  const part: unknown = content.find((each) => isRecord(each) && typeof each.text === 'string');
  return isRecord(part) && typeof part.text === 'string' ? part.text : undefined;
}

function inline(value: unknown): string {
  if (typeof value === 'string') return value.slice(0, longestSummary);
  if (Array.isArray(value)) return value.length === 1 ? '1 item' : `${value.length} items`;
  if (isRecord(value)) return Object.keys(value).length === 0 ? '{}' : `{${Object.keys(value).slice(0, 8).join(', ')}}`;
  return String(value);
}

function cut(text: string): string {
  const line = text
    .slice(0, 4 * longestSummary)
    .replace(/\s+/g, ' ')
    .trim();
  return line.length > longestSummary ? `${line.slice(0, longestSummary - 1)}…` : line;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
