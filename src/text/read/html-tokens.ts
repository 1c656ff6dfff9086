import { decodeEntities } from './html-entities.ts';

/** A token of an HTML text. */
export type HtmlToken =
  | { kind: 'text'; text: string }
  | { kind: 'open'; name: string; attributes: string }
  | { kind: 'close'; name: string };

/** Elements whose content is not HTML and is not shown. */
const rawNames = new Set(['script', 'style', 'textarea', 'noscript', 'template', 'iframe', 'xmp', 'title']);

/**
 * Tokenizes HTML, valid or not, in linear time. Builds no tree, because common parsers take minutes for a megabyte of open
 * tags.
 */
export function* readHtmlTokens(html: string): Generator<HtmlToken> {
  let at = 0;
  while (at < html.length) {
    const next = html.indexOf('<', at);
    const textEnd = next < 0 ? html.length : next;
    if (textEnd > at) yield { kind: 'text', text: decodeEntities(html.slice(at, textEnd)) };
    if (next < 0) return;
    const following = html.charCodeAt(next + 1);
    if (isLetter(following)) {
      const end = tagEnd(html, next + 1);
      const name = tagName(html, next + 1, end);
      yield { kind: 'open', name, attributes: html.slice(next + 1 + name.length, end) };
      at = end + 1;
      if (!rawNames.has(name)) continue;
      at = rawEnd(html, name, at);
      yield { kind: 'close', name };
    } else if (following === 47 && isLetter(html.charCodeAt(next + 2))) {
      const end = tagEnd(html, next + 2);
      yield { kind: 'close', name: tagName(html, next + 2, end) };
      at = end + 1;
    } else if (following === 33 || following === 63 || following === 47) {
      const isComment = html.startsWith('<!--', next);
      const end = isComment ? html.indexOf('-->', next + 4) : html.indexOf('>', next);
      at = end < 0 ? html.length : end + (isComment ? 3 : 1);
    } else {
      yield { kind: 'text', text: '<' };
      at = next + 1;
    }
  }
}

export function attributeOf(attributes: string, name: string): string | undefined {
  const found = new RegExp(`(?:^|[\\s"'/])${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, 'i').exec(
    attributes.slice(0, 4_000),
  );
  const value = found?.[1] ?? found?.[2] ?? found?.[3];
  return value === undefined ? undefined : decodeEntities(value);
}

/** Returns the offset of the `>` that ends a tag, ignoring quoted ones. */
function tagEnd(html: string, from: number): number {
  let quote = 0;
  for (let at = from; at < html.length; at += 1) {
    const code = html.charCodeAt(at);
    if (quote !== 0) {
      if (code === quote) quote = 0;
    } else if (code === 62) return at;
    else if ((code === 34 || code === 39) && html.charCodeAt(at - 1) === 61) quote = code;
  }
  return html.length;
}

function tagName(html: string, start: number, end: number): string {
  let at = start;
  while (at < end && !/[\s/>]/.test(html[at] ?? '>')) at += 1;
  return html.slice(start, Math.min(at, start + 40)).toLowerCase();
}

function rawEnd(html: string, name: string, from: number): number {
  const closing = new RegExp(`</${name}(?=[\\s/>])`, 'gi');
  closing.lastIndex = from;
  const found = closing.exec(html);
  if (!found) return html.length;
  const end = html.indexOf('>', found.index);
  return end < 0 ? html.length : end + 1;
}

function isLetter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90);
}
