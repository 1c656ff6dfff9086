import { isRecord } from '../base/is-record.ts';

/** The end of a chain at some moment, as the anchors remember it. */
export interface Head {
  chain: string;
  /** The number of its last entry. */
  no: number;
  hash: string;
  /** When it was seen. */
  at: number;
  /** Where the chain began when the first anchors were made; only for chains that existed then. */
  firstNo?: number | undefined;
}

/** What the anchors say. */
export interface Anchors {
  /** The last known end of each chain. */
  heads: Map<string, Head>;
  /** The keys that were in use. */
  keys: Set<string>;
  /** When the first anchors were made; undefined if there are none. */
  since: number | undefined;
  /** When the last anchor was made. */
  lastAt: number | undefined;
  /** Lines that cannot be read, as a crash leaves them. */
  torn: number;
}

type HeadFields = [chain: string, no: number, hash: string, firstNo?: number | null, at?: number];

interface AnchorLine {
  at: number;
  key: string | null;
  /** `start`: the ends of all chains when the first anchors were made. `restore`: the same after a restore; earlier lines no longer count. */
  event?: 'start' | 'restore' | 'more' | undefined;
  heads: HeadFields[];
}

/** Lines stay short enough to be appended whole. */
const headsInLine = 40;

export interface LineOptions {
  at: number;
  key: string | null;
  event?: 'start' | 'restore' | undefined;
}

/** Returns the text to append. It begins with a line break, in case a crash cut the line before. */
export function toLines(heads: readonly Head[], { at, key, event }: LineOptions): string {
  const lines: string[] = [];
  for (let start = 0; start === 0 || start < heads.length; start += headsInLine) {
    const some = heads.slice(start, start + headsInLine).map((head) => toFields(head, at));
    // Only the first line of a restore replaces what came before.
    const named = event === 'restore' && start > 0 ? 'more' : event;
    lines.push(JSON.stringify({ at, key, ...(named && { event: named }), heads: some } satisfies AnchorLine));
  }
  return `\n${lines.join('\n')}\n`;
}

function toFields({ chain, no, hash, firstNo, at }: Head, lineAt: number): HeadFields {
  if (at !== lineAt) return [chain, no, hash, firstNo ?? null, at];
  return firstNo === undefined ? [chain, no, hash] : [chain, no, hash, firstNo];
}

export function noAnchors(): Anchors {
  return { heads: new Map(), keys: new Set(), since: undefined, lastAt: undefined, torn: 0 };
}

/** Adds the lines of a file: our own, or those that a webhook received. */
export function readLines(text: string, anchors = noAnchors()): Anchors {
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    const read = parseLine(line);
    if (read) addLine(anchors, read);
    else anchors.torn += 1;
  }
  return anchors;
}

function addLine(anchors: Anchors, { at, key, event, heads }: AnchorLine): void {
  if (event === 'restore') anchors.heads.clear();
  if (key !== null) anchors.keys.add(key);
  anchors.since = Math.min(anchors.since ?? at, at);
  anchors.lastAt = Math.max(anchors.lastAt ?? at, at);
  for (const [chain, no, hash, firstNo, seenAt = at] of heads) {
    const known = anchors.heads.get(chain);
    // Two processes may not append in the order in which they saw the ends.
    if (known && known.no >= no) continue;
    anchors.heads.set(chain, { chain, no, hash, at: seenAt, firstNo: firstNo ?? known?.firstNo });
  }
}

function parseLine(line: string): AnchorLine | undefined {
  try {
    const given: unknown = JSON.parse(line);
    // The body of a webhook carries a line in `data`.
    const read = isRecord(given) && isRecord(given.data) ? given.data : given;
    if (!isRecord(read) || typeof read.at !== 'number' || !Array.isArray(read.heads)) return undefined;
    if (!read.heads.every(isHead)) return undefined;
    const event = read.event === 'start' || read.event === 'restore' ? read.event : undefined;
    return { at: read.at, key: typeof read.key === 'string' ? read.key : null, event, heads: read.heads };
  } catch {
    return undefined;
  }
}

function isHead(value: unknown): value is HeadFields {
  if (!Array.isArray(value)) return false;
  const [chain, no, hash] = value;
  return typeof chain === 'string' && typeof no === 'number' && typeof hash === 'string';
}
