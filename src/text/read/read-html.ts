import { maxText, tooMuchText } from '../text-limits.ts';
import { decodeEntities } from './html-entities.ts';
import { htmlToMarkdown } from './html-to-markdown.ts';
import { attributeOf, readHtmlTokens } from './html-tokens.ts';

export interface ReadHtml {
  title: string | null;
  markdown: string;
}

/** The minimum length of the main part to be used instead of the whole page. */
const minText = 200;
/** The search for the main part walks a tree many times, so it only runs on pages of moderate size. */
const maxTreeLength = 500_000;
const maxTreeDepth = 48;
const maxTokens = 12_000;

/** Reads the main part of a page as Markdown, with its title. Throws INVALID_FORMAT. */
export async function readHtml(name: string, html: string): Promise<ReadHtml> {
  const title = titleOf(html);
  const marked = markedPart(html);
  if (marked !== null) {
    const markdown = toMarkdown(name, marked, true);
    if (markdown.length >= minText) return { title, markdown };
  }
  const whole = toMarkdown(name, html, false);
  const article = await articleOf(html);
  if (article !== null) {
    const markdown = toMarkdown(name, article, true);
    // An article with less than a third of the page is only a part of it.
    if (markdown.length >= minText && markdown.length >= whole.length / 3) return { title, markdown };
  }
  return { title, markdown: whole.trim() === '' ? toMarkdown(name, html, true) : whole };
}

export function toMarkdown(name: string, html: string, keepsFrame: boolean): string {
  const { markdown, isCut } = htmlToMarkdown(html, { keepsFrame, maxLength: maxText });
  if (isCut || markdown.length > maxText) throw tooMuchText(name);
  return markdown;
}

function titleOf(html: string): string | null {
  for (const token of readHtmlTokens(html.slice(0, 200_000))) {
    if (token.kind !== 'open') continue;
    if (token.name === 'body') break;
    if (token.name !== 'meta' || attributeOf(token.attributes, 'property') !== 'og:title') continue;
    const content = cleanTitle(attributeOf(token.attributes, 'content') ?? '');
    if (content !== '') return content;
  }
  const found = /<title[^>]{0,200}>([^<]{0,1000})/i.exec(html.slice(0, 200_000))?.[1];
  return found === undefined ? null : cleanTitle(decodeEntities(found)) || null;
}

function cleanTitle(title: string): string {
  return title.replace(/\s+/g, ' ').trim().slice(0, 500);
}

/** Returns the part that the page itself marks as main. */
function markedPart(html: string): string | null {
  for (const name of ['main', 'article']) {
    const opening = new RegExp(`<${name}[\\s>]`, 'gi');
    const start = opening.exec(html)?.index;
    if (start === undefined) continue;
    // With several articles, none of them is the page.
    if (name === 'article' && opening.exec(html)) continue;
    let end = -1;
    for (const closing of html.matchAll(new RegExp(`</${name}>`, 'gi'))) end = closing.index;
    if (end > start) return html.slice(start, end);
  }
  return null;
}

async function articleOf(html: string): Promise<string | null> {
  if (html.length > maxTreeLength || !isShallow(html)) return null;
  const [{ parseHTML }, { Readability }] = await Promise.all([import('linkedom'), import('@mozilla/readability')]);
  try {
    const { document } = parseHTML(/<html[\s>]/i.test(html) ? html : `<html><body>${html}</body></html>`);
    return new Readability(document, { keepClasses: true, maxElemsToParse: maxTokens }).parse()?.content ?? null;
  } catch {
    // Without a main part, the whole page is used.
    return null;
  }
}

function isShallow(html: string): boolean {
  let depth = 0;
  // The tree parser creates a node for each entity.
  let tokens = html.split('&').length;
  for (const token of readHtmlTokens(html)) {
    tokens += 1;
    if (token.kind === 'close') depth -= 1;
    else if (token.kind === 'open' && !mayStayOpen.test(token.name)) depth += 1;
    if (depth > maxTreeDepth || tokens > maxTokens) return false;
  }
  return true;
}

const mayStayOpen = /^(?:br|hr|img|input|meta|link|wbr|source|col|p|li|td|th|tr|dt|dd|option)$/;
