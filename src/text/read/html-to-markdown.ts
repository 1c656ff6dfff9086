import { MarkdownWriter } from '../markdown/markdown-writer.ts';
import { attributeOf, readHtmlTokens } from './html-tokens.ts';

export interface HtmlOptions {
  /** Includes navigation, asides and footers. */
  keepsFrame: boolean;
  /** Stops with `isCut` after this many characters. */
  maxLength: number;
}

/** Elements that are never shown, or not shown as text. */
const hidden = new Set([
  'script',
  'style',
  'noscript',
  'template',
  'iframe',
  'svg',
  'math',
  'canvas',
  'select',
  'button',
  'object',
  'head',
  'title',
  'textarea',
  'xmp',
  'dialog',
]);
const frame = new Set(['nav', 'aside', 'footer']);
const blocks = new Set(
  'address article aside blockquote body center dd details div dl dt fieldset figcaption figure footer form header html li main nav ol p section summary table ul tbody thead tfoot caption hgroup search menu'.split(
    ' ',
  ),
);
const empty = new Set([
  'br',
  'hr',
  'img',
  'input',
  'meta',
  'link',
  'wbr',
  'area',
  'base',
  'col',
  'embed',
  'source',
  'track',
]);

interface Table {
  rows: string[][];
  row: string[] | null;
  /** The depth of tables inside a cell. Their text goes into the cell. */
  inner: number;
}

/** Converts a page to Markdown: headings, paragraphs, lists, quotes, code and tables. Links keep only their text. */
export function htmlToMarkdown(
  html: string,
  { keepsFrame, maxLength }: HtmlOptions,
): { markdown: string; isCut: boolean } {
  const walk = new HtmlWalk(keepsFrame);
  for (const token of readHtmlTokens(html)) {
    if (token.kind === 'text') walk.text(token.text);
    else if (token.kind === 'open') walk.open(token.name, token.attributes);
    else walk.close(token.name);
    if (walk.writer.size > maxLength) return { markdown: walk.finish(), isCut: true };
  }
  return { markdown: walk.finish(), isCut: false };
}

/** The state of the conversion. */
class HtmlWalk {
  readonly writer = new MarkdownWriter();
  readonly #keepsFrame: boolean;
  /** The element that is being skipped, and how many elements with its name are open. */
  #skipped: { name: string; depth: number } | null = null;
  #heading = 0;
  #pre: { parts: string[]; language: string } | null = null;
  #code = 0;
  #table: Table | null = null;
  /** Open lists. `next` is the number of the next item, or -1 for bullets. */
  readonly #lists: { next: number; items: number; isItemOpen: boolean }[] = [];
  #quotes = 0;
  #language = '';

  constructor(keepsFrame: boolean) {
    this.#keepsFrame = keepsFrame;
  }

  text(text: string): void {
    if (this.#skipped) return;
    if (this.#pre) this.#pre.parts.push(text);
    else this.writer.text(text);
  }

  open(name: string, attributes: string): void {
    if (this.#skipped) {
      if (name === this.#skipped.name && !attributes.endsWith('/')) this.#skipped.depth += 1;
      return;
    }
    if (!empty.has(name) && this.#isSkipped(name, attributes)) {
      if (!attributes.endsWith('/')) this.#skipped = { name, depth: 1 };
      return;
    }
    if (this.#pre) this.#openInPre(name, attributes);
    else if (this.#table && this.#openInTable(name, this.#table)) return;
    else this.#openBlock(name, attributes);
  }

  close(name: string): void {
    if (this.#skipped) {
      if (name !== this.#skipped.name) return;
      this.#skipped.depth -= 1;
      if (this.#skipped.depth === 0) this.#skipped = null;
    } else if (this.#pre) {
      if (name === 'pre') this.#endPre();
    } else if (this.#table) this.#closeInTable(name, this.#table);
    else this.#closeBlock(name);
  }

  finish(): string {
    if (this.#pre) this.#endPre();
    if (this.#table) this.#endTable();
    return this.writer.finish();
  }

  #isSkipped(name: string, attributes: string): boolean {
    if (hidden.has(name) || (frame.has(name) && !this.#keepsFrame)) return true;
    return (
      attributes !== '' &&
      /(?:^|\s)(?:hidden(?=[\s/=]|$)|aria-hidden\s*=\s*["']?true)/i.test(attributes.slice(0, 1_000)) &&
      !blocks.has(name)
    );
  }

  #openBlock(name: string, attributes: string): void {
    const level = /^h([1-6])$/.exec(name)?.[1];
    if (level !== undefined) {
      this.#endText();
      this.#heading = Number(level);
    } else if (name === 'pre') {
      this.#endText();
      this.#pre = { parts: [], language: languageOf(attributes) || this.#language };
    } else if (name === 'ul' || name === 'ol' || name === 'menu') {
      this.#endText();
      const start = Number(attributeOf(attributes, 'start') ?? 1);
      this.#lists.push({
        next: name === 'ol' ? (Number.isSafeInteger(start) && start >= 0 ? start : 1) : -1,
        items: 0,
        isItemOpen: false,
      });
    } else if (name === 'li') {
      this.#openItem();
    } else if (name === 'blockquote') {
      this.#endText();
      this.#quotes += 1;
      this.writer.open({ kind: 'quote' });
    } else if (name === 'table') {
      this.#endText();
      this.#table = { rows: [], row: null, inner: 0 };
    } else if (name === 'br') {
      this.writer.lineBreak();
    } else if (name === 'hr') {
      this.#endText();
      this.writer.rule();
    } else if (name === 'img') {
      this.writer.text((attributeOf(attributes, 'alt') ?? '').slice(0, 300));
    } else if (name === 'code' || name === 'kbd' || name === 'samp') {
      if (this.#code === 0) this.writer.text('`');
      this.#code += 1;
    } else if (blocks.has(name)) {
      this.#endText();
      // Syntax highlighters put the language on the element around the code.
      this.#language = name === 'div' || name === 'figure' ? languageOf(attributes) : '';
    }
  }

  #closeBlock(name: string): void {
    if (/^h[1-6]$/.test(name)) this.#endText();
    else if (name === 'ul' || name === 'ol' || name === 'menu') {
      this.#endText();
      if (this.#lists.pop()?.isItemOpen) this.writer.close();
    } else if (name === 'li') this.#closeItem();
    else if (name === 'blockquote') {
      this.#endText();
      if (this.#quotes > 0) {
        this.#quotes -= 1;
        this.writer.close();
      }
    } else if (name === 'code' || name === 'kbd' || name === 'samp') {
      if (this.#code === 1) this.writer.text('`');
      this.#code = Math.max(0, this.#code - 1);
    } else if (blocks.has(name)) this.#endText();
  }

  #endText(): void {
    if (this.#heading > 0) this.writer.endBlock('heading', this.#heading);
    else this.writer.endBlock();
    this.#heading = 0;
    this.#code = 0;
  }

  #openItem(): void {
    this.#endText();
    this.#closeItem();
    const list = this.#lists.at(-1);
    if (!list) return;
    if (list.items > 0) this.writer.stayClose();
    this.writer.open({ kind: 'item', marker: list.next < 0 ? '- ' : `${list.next}. `, isWritten: false });
    if (list.next >= 0) list.next += 1;
    list.items += 1;
    list.isItemOpen = true;
  }

  #closeItem(): void {
    this.#endText();
    const list = this.#lists.at(-1);
    if (!list?.isItemOpen) return;
    list.isItemOpen = false;
    this.writer.close();
  }

  #openInPre(name: string, attributes: string): void {
    if (!this.#pre) return;
    if (name === 'br') this.#pre.parts.push('\n');
    if (name === 'code' && this.#pre.language === '') this.#pre.language = languageOf(attributes);
  }

  #endPre(): void {
    const { parts, language } = this.#pre ?? { parts: [], language: '' };
    this.#pre = null;
    const code = parts.join('');
    if (code.trim() !== '') this.writer.fence(code, language);
  }

  /** Returns whether the element was handled. */
  #openInTable(name: string, table: Table): boolean {
    if (name === 'table') table.inner += 1;
    else if (table.inner === 0 && name === 'tr') {
      this.#endCell(table);
      table.row = [];
      table.rows.push(table.row);
    } else if (table.inner === 0 && (name === 'td' || name === 'th')) {
      this.#endCell(table);
      table.row ??= startRow(table);
      table.row.push('');
    } else if (name === 'code') this.writer.text('`');
    else if (name === 'img') return false;
    else if (
      name === 'br' ||
      name === 'pre' ||
      name === 'td' ||
      name === 'tr' ||
      blocks.has(name) ||
      /^h[1-6]$/.test(name)
    ) {
      this.writer.text(' ');
    }
    return true;
  }

  #closeInTable(name: string, table: Table): void {
    if (name === 'code') this.writer.text('`');
    else if (name === 'table' && table.inner > 0) table.inner -= 1;
    else if (name === 'table') this.#endTable();
    else if (blocks.has(name) || name === 'td' || name === 'th') this.writer.text(' ');
  }

  /** Adds the collected text to the last cell. */
  #endCell(table: Table): void {
    const text = this.writer.takeInline().replaceAll('\n', ' ').replaceAll('|', '\\|');
    if (text === '') return;
    table.row ??= startRow(table);
    const before = table.row.pop() ?? '';
    table.row.push(`${before} ${text}`.trim());
  }

  #endTable(): void {
    const table = this.#table;
    if (!table) return;
    this.#endCell(table);
    this.#table = null;
    const rows = table.rows.filter((row) => row.some((cell) => cell !== ''));
    // A table with a single cell is only layout.
    if (rows.length === 1 && rows[0]?.length === 1) {
      this.writer.text((rows[0][0] ?? '').replaceAll('\\|', '|'));
      this.writer.endBlock();
    } else this.writer.table(rows);
  }
}

function startRow(table: Table): string[] {
  const row: string[] = [];
  table.rows.push(row);
  return row;
}

/** `language-js`, `lang-js`, `highlight-source-js`, `brush: js`. */
function languageOf(attributes: string): string {
  if (attributes === '') return '';
  const names = attributeOf(attributes, 'class') ?? '';
  const found = /(?:^|\s)(?:language-|lang-|highlight-source-|brush:\s*)([\w+#-]{1,30})/i.exec(names)?.[1];
  return (found ?? attributeOf(attributes, 'data-lang') ?? attributeOf(attributes, 'data-language') ?? '')
    .replace(/[^\w+#-]/g, '')
    .slice(0, 30);
}
