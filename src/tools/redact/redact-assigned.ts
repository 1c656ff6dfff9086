import { secretNamePattern } from '../../base/secret-names.ts';
import { removed } from './redact.ts';
import { backslashesBefore } from './redact-escapes.ts';

/** A name, perhaps in quotes, and what sets it to a value, perhaps in quotes: `password=`, `"api_key": "`, `\"token\":\"`. */
const assignment = new RegExp(
  `((?:${secretNamePattern})[\\w-]{0,20})(\\\\{0,8}["'])?\\s{0,3}[:=]\\s{0,3}(?:\\[\\s{0,3})?(\\\\{0,8}["'])?`,
  'gi',
);
const scheme = /(?:bearer|basic|digest|negotiate|token|apikey)\s{1,3}(?=\S)/iy;
const bareValue = /[^\s"'\\,;&<>{}()[\]]+/y;
const harmless = /^(?:true|false|null|undefined|none)$/i;
const countName = /tokens|count|limit|tokeniz/i;
const standAlone = /(bearer|basic)(\s{1,3})([A-Za-z0-9._~+/=:-]{8,})/gi;

/** What follows a name that says it is secret, and what follows `Bearer` or `Basic`. */
export function removeAssigned(text: string): string {
  return removeNamed(text).replace(standAlone, (all, name: string, space: string, value: string) =>
    isWord(value) ? all : `${name}${space}${removed}`,
  );
}

function removeNamed(text: string): string {
  let clean = '';
  let done = 0;
  for (const match of text.matchAll(assignment)) {
    if (match.index < done) continue;
    const [head, name = ''] = match;
    const [nameQuote, valueQuote] = [quoteOf(match[2]), quoteOf(match[3])];
    const begin = match.index + head.length;
    if (nameQuote !== '"' && valueQuote === '"' && isEndOfJsonString(text, begin)) continue;
    const value = valueAt(text, begin, valueQuote);
    if (value.end <= value.begin) continue;
    const found = text.slice(value.begin, value.end);
    if (harmless.test(found) || (countName.test(name) && /^[\d.]+$/.test(found))) continue;
    // A bare number after a name in quotes is JSON: what takes its place needs quotes.
    const quote = valueQuote === undefined && nameQuote !== undefined ? nameQuote : '';
    clean += `${text.slice(done, value.begin)}${quote}${removed}${quote}`;
    done = value.end;
  }
  return done === 0 ? text : clean + text.slice(done);
}

function valueAt(text: string, begin: number, quote: string | undefined): { begin: number; end: number } {
  scheme.lastIndex = begin;
  const afterScheme = scheme.test(text) ? scheme.lastIndex : begin;
  const end = quote === undefined ? undefined : endOfQuoted(text, afterScheme, quote);
  if (end !== undefined) return { begin: afterScheme, end };
  bareValue.lastIndex = afterScheme;
  return { begin: afterScheme, end: bareValue.test(text) ? bareValue.lastIndex : afterScheme };
}

/**
 * Each level of JSON within JSON doubles the backslashes before a quote: a quote with one level more than the first one is
 * part of the string; any other one ends it, or a string around it. Backslashes before the end stay, whosever they are.
 */
function endOfQuoted(text: string, begin: number, quote: string): number | undefined {
  const mark = quote.at(-1) ?? '"';
  const level = 2 * quote.length;
  for (let at = text.indexOf(mark, begin); at !== -1; at = text.indexOf(mark, at + 1)) {
    const backslashes = Math.min(backslashesBefore(text, at), at - begin);
    if (backslashes % level === level - 1) continue;
    const end = at - backslashes;
    // What stands in single quotes is part of a line, or of a string in double ones.
    return mark === "'" && /["\n]/.test(text.slice(begin, end)) ? undefined : end;
  }
  return undefined;
}

/** Backslashes in pairs belong to what stands before the quote. */
function quoteOf(found: string | undefined): string | undefined {
  return found !== undefined && found.length % 2 === 1 ? found.slice(-1) : found;
}

/** In JSON a quote with no backslash after a name without such quotes is not the begin of its value, but the end of all. */
function isEndOfJsonString(text: string, afterQuote: number): boolean {
  return /^\s*[{["]/.test(text) && /^\s{0,200}(?:[,}\]:]|$)/.test(text.slice(afterQuote, afterQuote + 201));
}

/** `Basic authentication` is no secret. */
function isWord(value: string): boolean {
  return value.length < 20 && /^[A-Za-z]?[a-z]+[.:]?$/.test(value);
}
