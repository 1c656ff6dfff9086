/** Something that the lines of a block stand in. */
type Container = { kind: 'quote' } | { kind: 'item'; marker: string; isWritten: boolean };

/** Deeper lists and quotations are written as if they were this deep. */
const deepest = 20;

/** Writes Markdown block by block. Inline text is gathered until its block ends. */
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

  /** Ends the block that inline text was gathered for. */
  endBlock(kind: 'paragraph' | 'heading' = 'paragraph', level = 0): void {
    const text = this.takeInline();
    if (text === '') return;
    // The sign that links to a heading is no part of it.
    const title = text.replaceAll('\n', ' ').replace(/^[#¶§]\s+|\s*[¶§]$|\s+#$/g, '');
    if (kind === 'heading') this.#write([`${'#'.repeat(level)} ${title}`]);
    else this.#write(text.split('\n').map(escapeLine));
  }

  /** The text gathered so far, spaces and line ends put in order, and taken away. */
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
    // A row of thousands of cells must not make every other row as wide.
    const width = Math.min(100, Math.max(...rows.slice(0, 100).map((row) => row.length)));
    const toLine = (cells: readonly string[]) =>
      `| ${Array.from({ length: Math.max(width, cells.length) }, (_, index) => cells[index] ?? '').join(' | ')} |`;
    const delimiter = toLine(Array.from({ length: Math.max(width, first.length) }, () => '---'));
    this.#write([toLine(first), delimiter, ...rows.slice(1).map(toLine)]);
  }

  open(container: Container): void {
    this.endBlock();
    this.#depth += 1;
    if (this.#depth > deepest) return;
    // Items stand close to each other, and to the text of the item they stand in.
    if (container.kind === 'item' && this.#containers.at(-1)?.kind === 'item') this.#needsBlank = false;
    // The line before a quotation does not belong to it.
    if (container.kind === 'quote') this.#blank();
    this.#containers.push(container);
  }

  close(): void {
    this.endBlock();
    if (this.#depth <= deepest) this.#containers.pop();
    this.#depth = Math.max(0, this.#depth - 1);
  }

  /** The next item follows without a blank line. */
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

/** A line of a paragraph that would read as something else gets a backslash. */
function escapeLine(line: string): string {
  return /^(?:#{1,6}(?:\s|$)|>|`{3}|~{3}|[-=*_]+\s*$|[-+*]\s|\|)/.test(line)
    ? `\\${line}`
    : line.replace(/^(\d{1,9})([.)]\s)/, '$1\\$2');
}
