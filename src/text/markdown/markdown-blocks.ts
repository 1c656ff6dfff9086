import { lineEnd, lineStart, lineText, type TextLines } from '../text-lines.ts';
import { columnsOf, htmlEnd, interruptsParagraph, isDelimiterRow, isRule } from './markdown-signs.ts';

/** A top-level block. Lines are numbered from 0. `end` is exclusive. */
export interface MarkdownBlock {
  kind: 'heading' | 'fence' | 'code' | 'html' | 'table' | 'list' | 'quote' | 'paragraph';
  start: number;
  end: number;
  /** For a heading: its level from 1 to 6, and its text as written. */
  level: number;
  title: string;
}

/** A code fence at any depth. */
export interface MarkdownFence {
  start: number;
  end: number;
  isClosed: boolean;
  /** The indentation and quote marks before each of its lines. */
  prefix: string;
  marker: string;
  info: string;
}

export interface MarkdownBlocks {
  blocks: MarkdownBlock[];
  fences: MarkdownFence[];
}

/** A block quote, or a list item with the indent of its lines. */
type Container = { kind: 'quote' } | { kind: 'item'; indent: number; isEmpty: boolean };

type Leaf =
  | { kind: 'none' | 'paragraph' | 'code' }
  | { kind: 'fence'; fence: MarkdownFence }
  | { kind: 'html'; end: RegExp | null };

/** Deeper nesting is read as text, because nobody writes it and each level costs time on every line. */
const maxDepth = 64;
/** The beginning of a line determines its kind. */
const maxInspected = 1_000;

/** Reads the blocks of a Markdown text line by line, like the first phase of CommonMark, plus tables. Runs in linear time. */
export function readMarkdownBlocks(lines: TextLines, from = 0): MarkdownBlocks {
  const scan = new MarkdownScan(lines);
  for (let line = from; line < lines.count; line += 1) scan.readLine(line);
  return scan.finish();
}

/** The state of the parser between two lines. */
class MarkdownScan {
  readonly #lines: TextLines;
  readonly #blocks: MarkdownBlock[] = [];
  readonly #fences: MarkdownFence[] = [];
  #containers: Container[] = [];
  #leaf: Leaf = { kind: 'none' };
  /** The top-level block that may continue. */
  #open: MarkdownBlock | null = null;
  #line = 0;
  #text = '';
  /** The next character in the line, and its column with tabs expanded. */
  #at = 0;
  #column = 0;

  constructor(lines: TextLines) {
    this.#lines = lines;
  }

  finish(): MarkdownBlocks {
    return { blocks: this.#blocks, fences: this.#fences };
  }

  readLine(line: number): void {
    this.#line = line;
    const full = lineText(this.#lines, line);
    this.#text = full.length > maxInspected ? full.slice(0, maxInspected) : full;
    this.#at = 0;
    this.#column = 0;
    const matched = this.#matchContainers();
    if (matched < this.#containers.length && this.#isLazy()) {
      this.#extend();
      return;
    }
    if (matched < this.#containers.length) this.#leave(matched);
    if (this.#leaf.kind === 'fence') {
      this.#readFenceLine(this.#leaf.fence);
    } else if (this.#leaf.kind !== 'html' || !this.#readHtmlLine(this.#leaf.end)) {
      this.#openContainers();
      this.#readLeaf();
    }
  }

  /** Returns how many open containers this line continues. */
  #matchContainers(): number {
    for (const [depth, container] of this.#containers.entries()) {
      const { indent, isBlank } = this.#look();
      if (container.kind === 'quote') {
        if (isBlank || indent > 3 || this.#text[this.#at + this.#spaces()] !== '>') return depth;
        this.#skipQuoteMark();
      } else if (isBlank) {
        // An item may begin with at most one blank line.
        if (container.isEmpty && this.#leaf.kind === 'none') return depth;
      } else if (indent >= container.indent) {
        this.#skipColumns(container.indent);
        container.isEmpty = false;
      } else {
        return depth;
      }
    }
    return this.#containers.length;
  }

  /** Lazy continuation: a paragraph continues without container markers if the line begins nothing else. */
  #isLazy(): boolean {
    if (this.#leaf.kind !== 'paragraph') return false;
    const { indent, isBlank } = this.#look();
    if (isBlank) return false;
    return indent > 3 || !interruptsParagraph(this.#rest());
  }

  #openContainers(): void {
    while (this.#containers.length < maxDepth) {
      const { indent, isBlank } = this.#look();
      if (isBlank || indent > 3) return;
      const rest = this.#rest();
      if (rest.startsWith('>')) {
        this.#endParagraph();
        this.#begin('quote');
        this.#skipQuoteMark();
        this.#containers.push({ kind: 'quote' });
        continue;
      }
      const marker = /^(?:[-+*]|\d{1,9}[.)])(?=[ \t]|$)/.exec(rest)?.[0];
      if (marker === undefined || isRule(rest)) return;
      const after = rest.slice(marker.length);
      const isEmpty = after.trim() === '';
      // Only a non-empty item may interrupt a paragraph, and a numbered one only if it has number 1.
      if (this.#leaf.kind === 'paragraph' && (isEmpty || (/^\d/.test(marker) && !/^1\D/.test(marker)))) return;
      this.#endParagraph();
      this.#begin('list');
      const start = indent + marker.length;
      this.#skipColumns(indent);
      this.#at += marker.length;
      this.#column += marker.length;
      const gap = this.#look().indent;
      const width = isEmpty || gap > 4 ? 1 : gap;
      this.#skipColumns(width);
      this.#containers.push({ kind: 'item', indent: start + width, isEmpty });
    }
  }

  #readLeaf(): void {
    const { indent, isBlank } = this.#look();
    if (isBlank) {
      if (this.#leaf.kind !== 'code') this.#leaf = { kind: 'none' };
      if (this.#containers.length === 0 && this.#leaf.kind === 'none' && this.#open?.kind !== 'list') this.#open = null;
      return;
    }
    const rest = this.#rest();
    if (indent > 3 && this.#leaf.kind !== 'paragraph') {
      this.#begin('code');
      this.#leaf = { kind: 'code' };
      return;
    }
    if (indent <= 3 && this.#readStart(rest, indent)) return;
    this.#paragraph(rest);
  }

  /** Reads a leaf block that its first characters identify. */
  #readStart(rest: string, indent: number): boolean {
    const atTop = this.#containers.length === 0;
    if (this.#leaf.kind === 'paragraph' && /^(?:=+|-+)[ \t]*$/.test(rest)) {
      if (atTop && this.#open) {
        const title = this.#lines.body.slice(
          lineStart(this.#lines, this.#open.start),
          lineEnd(this.#lines, this.#line - 1),
        );
        Object.assign(this.#open, { kind: 'heading', level: rest.startsWith('=') ? 1 : 2, title, end: this.#line + 1 });
      }
      this.#close();
      return true;
    }
    const heading = /^(#{1,6})(?:[ \t]|$)/.exec(rest)?.[1];
    if (heading !== undefined) {
      this.#endParagraph();
      const block = this.#begin('heading');
      if (block && atTop) Object.assign(block, { level: heading.length, title: rest.slice(heading.length) });
      this.#close();
      return true;
    }
    const fence = /^(`{3,}|~{3,})(.*)$/.exec(rest);
    const marker = fence?.[1];
    if (marker !== undefined && !(marker.startsWith('`') && fence?.[2]?.includes('`')) && marker.length <= 40) {
      this.#endParagraph();
      this.#begin('fence');
      this.#beginFence(marker, fence?.[2]?.trim() ?? '', indent);
      return true;
    }
    if (isRule(rest)) {
      this.#endParagraph();
      this.#begin('paragraph');
      this.#close();
      return true;
    }
    const end = rest.startsWith('<') ? htmlEnd(rest, this.#leaf.kind === 'paragraph') : undefined;
    if (end !== undefined) {
      this.#endParagraph();
      this.#begin('html');
      this.#leaf = { kind: 'html', end };
      if (end?.test(rest)) this.#close();
      return true;
    }
    return false;
  }

  #paragraph(rest: string): void {
    if (this.#containers.length === 0 && this.#open?.kind === 'paragraph' && this.#leaf.kind === 'paragraph') {
      const isHeader = this.#open.end === this.#open.start + 1;
      if (isHeader && isDelimiterRow(rest) && columnsOf(lineText(this.#lines, this.#open.start)) === columnsOf(rest)) {
        this.#open.kind = 'table';
        this.#leaf = { kind: 'none' };
      }
      this.#open.end = this.#line + 1;
      return;
    }
    if (this.#containers.length === 0 && this.#open?.kind === 'table') {
      this.#open.end = this.#line + 1;
      return;
    }
    this.#begin('paragraph');
    this.#leaf = { kind: 'paragraph' };
  }

  #beginFence(marker: string, info: string, indent: number): void {
    const prefix = this.#text.slice(0, this.#at).replace(/[^>\t]/g, ' ') + ' '.repeat(indent);
    const fence = { start: this.#line, end: this.#line + 1, isClosed: false, prefix, marker, info };
    this.#fences.push(fence);
    this.#leaf = { kind: 'fence', fence };
  }

  #readFenceLine(fence: MarkdownFence): void {
    const { indent } = this.#look();
    fence.end = this.#line + 1;
    this.#extend();
    const rest = this.#rest().trimEnd();
    const isMarker = rest.length >= fence.marker.length && rest.replaceAll(fence.marker[0] ?? '', '') === '';
    if (indent > 3 || !isMarker || this.#text.length === maxInspected) return;
    fence.isClosed = true;
    this.#close();
  }

  /** Returns whether the line belongs to the HTML block. */
  #readHtmlLine(end: RegExp | null): boolean {
    const { isBlank } = this.#look();
    if (end === null && isBlank) {
      this.#close();
      return false;
    }
    this.#extend();
    if (end?.test(lineText(this.#lines, this.#line))) this.#close();
    return true;
  }

  /** Closes the containers that the line does not continue, and everything in them. */
  #leave(depth: number): void {
    this.#containers.length = depth;
    this.#leaf = { kind: 'none' };
    if (depth === 0 && this.#open?.kind !== 'list') this.#open = null;
  }

  #endParagraph(): void {
    this.#leaf = { kind: 'none' };
    if (this.#containers.length === 0 && this.#open?.kind !== 'list' && this.#open?.kind !== 'quote') this.#open = null;
  }

  #close(): void {
    this.#leaf = { kind: 'none' };
    if (this.#containers.length === 0) this.#open = null;
  }

  /** Begins a block. Inside a container, extends the outermost block instead. */
  #begin(kind: MarkdownBlock['kind']): MarkdownBlock | null {
    if (this.#containers.length > 0 || (this.#open && this.#open.kind === kind && kind !== 'heading')) {
      this.#extend();
      return this.#open;
    }
    this.#open = { kind, start: this.#line, end: this.#line + 1, level: 0, title: '' };
    this.#blocks.push(this.#open);
    return this.#open;
  }

  #extend(): void {
    if (this.#open) this.#open.end = this.#line + 1;
  }

  #look(): { indent: number; isBlank: boolean } {
    let column = this.#column;
    for (let at = this.#at; at < this.#text.length; at += 1) {
      const character = this.#text[at];
      if (character === ' ') column += 1;
      else if (character === '\t') column += 4 - (column % 4);
      else return { indent: column - this.#column, isBlank: false };
    }
    return { indent: column - this.#column, isBlank: true };
  }

  /** Returns the number of spaces and tabs before the next character. */
  #spaces(): number {
    let at = this.#at;
    while (this.#text[at] === ' ' || this.#text[at] === '\t') at += 1;
    return at - this.#at;
  }

  #rest(): string {
    return this.#text.slice(this.#at + this.#spaces());
  }

  #skipQuoteMark(): void {
    this.#skipColumns(this.#look().indent);
    this.#at += 1;
    this.#column += 1;
    if (this.#text[this.#at] === ' ' || this.#text[this.#at] === '\t') this.#skipColumns(1);
  }

  /** Skips columns. A tab may be skipped partly. */
  #skipColumns(columns: number): void {
    const target = this.#column + columns;
    while (this.#column < target && this.#at < this.#text.length) {
      const character = this.#text[this.#at];
      const width = character === '\t' ? 4 - (this.#column % 4) : 1;
      if (this.#column + width > target) {
        this.#column = target;
        return;
      }
      this.#column += width;
      this.#at += 1;
    }
  }
}
