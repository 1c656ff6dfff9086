import { isRecord } from '../../src/base/is-record.ts';
import type { DecisionBody, DecisionListBody } from '../../src/decisions/decisions.contract.ts';

/** An entry with a one-line summary instead of its input and output, so that a list can hold thousands. */
export interface DecisionLine extends Omit<DecisionBody, 'context' | 'hash' | 'chain' | 'chainNo'> {
  summary: string;
}

export interface DecisionLines {
  lines: DecisionLine[];
  cursor: string | null;
  newest: string | null;
  /** How far back this page searched, or null at the end. */
  lookedBackTo: number | null;
}

const maxSummaryLength = 180;

export function toLines({ decisions, cursor, newest }: DecisionListBody): DecisionLines {
  return { lines: decisions.map(toLine), cursor, newest, lookedBackTo: cursor === null ? null : timeIn(cursor) };
}

/** Returns the time at the start of a cursor, where the next page continues. A cursor may have none. */
function timeIn(cursor: string): number | null {
  const [, at] = /^([0-9a-z]{6,9})\./.exec(cursor) ?? [];
  return at === undefined ? null : Number.parseInt(at, 36);
}

function toLine(body: DecisionBody): DecisionLine {
  const { context: _context, hash: _hash, chain: _chain, chainNo: _chainNo, ...line } = body;
  return { ...line, summary: summarize(body) };
}

/** Summarizes an entry in one line: the text of a note or a change, an error's message, or the input or output. */
export function summarize({ kind, decision, reasoning, context }: DecisionBody): string {
  if (kind === 'manual') return cut(reasoning ? `${decision} — ${reasoning}` : decision);
  if (kind === 'act') return cut(decision);
  if (isRecord(context)) {
    if (context.truncated === true && typeof context.head === 'string') return cut(context.head);
    if (kind === 'error' && typeof context.message === 'string')
      return cut(typeof context.code === 'string' ? `${context.code}: ${context.message}` : context.message);
    const text = textOfContent(context.content);
    if (text !== undefined) return cut(text);
    const parts = Object.entries(context).map(([name, value]) => `${name}: ${inline(value)}`);
    if (parts.length === 0) return kind === 'invocation' ? 'no input' : 'no output';
    return cut(parts.join(' · '));
  }
  return context === null || context === undefined ? cut(decision) : cut(inline(context));
}

/** Returns the first text of MCP content. */
function textOfContent(content: unknown): string | undefined {
  if (!Array.isArray(content)) return undefined;
  const part: unknown = content.find((each) => isRecord(each) && typeof each.text === 'string');
  return isRecord(part) && typeof part.text === 'string' ? part.text : undefined;
}

function inline(value: unknown): string {
  if (typeof value === 'string') return value.slice(0, maxSummaryLength);
  if (Array.isArray(value)) return value.length === 1 ? '1 item' : `${value.length} items`;
  if (isRecord(value)) return Object.keys(value).length === 0 ? '{}' : `{${Object.keys(value).slice(0, 8).join(', ')}}`;
  return String(value);
}

function cut(text: string): string {
  const line = text
    .slice(0, 4 * maxSummaryLength)
    .replace(/\s+/g, ' ')
    .trim();
  return line.length > maxSummaryLength ? `${line.slice(0, maxSummaryLength - 1)}…` : line;
}
