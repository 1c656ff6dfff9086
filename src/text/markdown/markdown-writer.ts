/** A block quote or list item around the lines of a block. */
type Container = { kind: 'quote' } | { kind: 'item'; marker: string; isWritten: boolean };

/** Deeper lists and quotes are written at this depth. */
const maxDepth = 20;

/** Writes Markdown block by block. Collects inline text until its block ends. */
export class MarkdownWriter {
  readonly #lines: string[] = [];
  readonly #containers: Container[] = [];
  #inline: string[] = [];
  #depth = 0;
  #needsBlank = false;
  #size = 0;

  /** Characters written so far. */
  get size(): number {
    return this.#size;
  }

  text(text: string): void {
    this.#inline.push(text);
    this.#size += text.length;
  }

  /** Ends the block of the collected inline text. */
  endBlock(kind: 'paragraph' | 'heading' = 'paragraph', level = 0): void {
    const text = this.takeInline();
    if (text === '') return;
    // Drops the anchor link of a heading.
    const title = text.replaceAll('\n', ' ').replace(/^[#¶§]\s+|\s*[¶§]$|\s+#$/g, '');
    if (kind === 'heading') this.#write([`${'#'.repeat(level)} ${title}`]);
    else this.#write(text.split('\n').map(escapeLine));
  }

  /** Returns the collected inline text with normalized spaces, and clears it. */
  takeInline(): string {
    const text = this.#inline
      .join('')
      .replace(/[^\S\v]+/g, ' ')
      .replace(/ ?\v ?/g, '\n')
      .trim();
    this.#inline = [];
    return text;
  }

  lineBreak(): void {
    this.#inline.push('\v');
  }

  fence(code: string, language: string): void {
    const longest = (code.match(/`{3,}/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
    const marker = '`'.repeat(Math.min(longest + 1, 40));
    this.#write([`${marker}${language}`, ...code.replace(/^\n+|\s+$/g, '').split('\n'), marker]);
    this.#size += code.length;
  }

  rule(): void {
    this.#write(['---']);
  }

  /** The first row is the header. */
  table(rows: readonly string[][]): void {
    const [first] = rows;
    if (!first) return;
    // One row with thousands of cells must not widen all others.
    const width = Math.min(100, Math.max(...rows.slice(0, 100).map((row) => row.length)));
    const toLine = (cells: readonly string[]) =>
      `| ${Array.from({ length: Math.max(width, cells.length) }, (_, index) => cells[index] ?? '').join(' | ')} |`;
    const delimiter = toLine(Array.from({ length: Math.max(width, first.length) }, () => '---'));
    this.#write([toLine(first), delimiter, ...rows.slice(1).map(toLine)]);
  }

  open(container: Container): void {
    this.endBlock();
    this.#depth += 1;
    if (this.#depth > maxDepth) return;
    // No blank line between nested items and the text of their parent item.
    if (container.kind === 'item' && this.#containers.at(-1)?.kind === 'item') this.#needsBlank = false;
    // Separates a quote from the line before it.
    if (container.kind === 'quote') this.#blank();
    this.#containers.push(container);
  }

  close(): void {
    this.endBlock();
    if (this.#depth <= maxDepth) this.#containers.pop();
    this.#depth = Math.max(0, this.#depth - 1);
  }

  /** Lets the next item follow without a blank line. */
  stayClose(): void {
    this.#needsBlank = false;
  }

  finish(): string {
    this.endBlock();
    return this.#lines.length === 0 ? '' : `${this.#lines.join('\n')}\n`;
  }

  #write(block: readonly string[]): void {
    this.#blank();
    for (const line of block) {
      this.#lines.push((this.#prefix(true) + line).trimEnd());
    }
    this.#needsBlank = true;
  }

  #blank(): void {
    if (this.#needsBlank && this.#lines.length > 0) this.#lines.push(this.#prefix(false).trimEnd());
    this.#needsBlank = false;
  }

  #prefix(writesMarker: boolean): string {
    let prefix = '';
    for (const container of this.#containers) {
      if (container.kind === 'quote') prefix += '> ';
      else if (container.isWritten || !writesMarker) prefix += ' '.repeat(container.marker.length);
      else {
        prefix += container.marker;
        container.isWritten = true;
      }
    }
    return prefix;
  }
}

/** Escapes a line of a paragraph that would otherwise be read as another kind of block. */
function escapeLine(line: string): string {
  return /^(?:#{1,6}(?:\s|$)|>|`{3}|~{3}|[-=*_]+\s*$|[-+*]\s|\|)/.test(line)
    ? `\\${line}`
    : line.replace(/^(\d{1,9})([.)]\s)/, '$1\\$2');
}
