import { HubError } from '../../base/hub-error.ts';
import { secretNamePattern } from '../../base/secret-names.ts';
import { openSecrets } from './redact-open.ts';

/** Removes secrets from a text and leaves the rest as it is. JSON stays valid JSON. */
export type Redact = ((text: string) => string) & {
  /** Grows when more values are learned: a text that was clean must then be checked again. */
  readonly learned?: number;
  /** Returns the index from which a growing text may be the start of a secret; its length if there is none. */
  readonly openFrom?: (text: string) => number;
};

/** Replaces a secret. */
export const removed = '[removed]';

/**
 * Returns a function that removes known values and everything that looks like a secret: keys of well-known services, the hub's tokens,
 * private keys, passwords in addresses, and values after names such as `password` or `Authorization`. Works on any text, including JSON
 * within JSON. Takes linear time; a clean text is scanned once.
 */
export function createRedact({ values }: { values: readonly string[] }): Redact {
  const withoutValues = removeValues(values);
  const redact = (text: string) => {
    const known = withoutValues(text);
    return suspicious.test(known) ? removeAssigned(removeShapes(known)) : known;
  };
  return Object.assign(redact, { openFrom: openSecrets(values) });
}

/** Returns a redactor that can learn more values while it is in use. It forgets none. */
export function learningRedact(values: readonly string[]): { redact: Redact; learn(values: readonly string[]): void } {
  const known = new Set(values);
  let current = createRedact({ values });
  let learned = 0;
  const openFrom = (text: string) => current.openFrom?.(text) ?? text.length;
  const live = Object.assign((text: string) => current(text), { openFrom });
  const redact = Object.defineProperty(live, 'learned', { get: () => learned });
  return {
    redact,
    learn(more) {
      const fresh = more.filter((value) => value.length >= shortest && !known.has(value));
      if (fresh.length === 0) return;
      for (const value of fresh) known.add(value);
      // Longest first, because one value may contain another.
      current = createRedact({ values: [...known].toSorted((one, other) => other.length - one.length) });
      learned += 1;
    },
  };
}

/** Shorter values are ordinary words that appear in any text. */
const shortest = 8;

/** Every pattern below contains one of these. */
const suspicious =
  /sk-|gh[pousr]_|github_pat_|glpat-|A[KS]IA|xox[a-z]-|AIza|eyJ|zoo_[\w-]{43}|k_(?:live|test)_|PRIVATE KEY|:\/\/[^\s/]*@|bearer|basic|authorization|passw|passphrase|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credential/i;

function removeShapes(text: string): string {
  const others = text.replace(privateKey, removeKey).replace(address, `://$1:${removed}@`);
  return replaceWhole(others, token, (match) => (match.startsWith('eyJ') && !match.includes('.') ? match : removed));
}

/** A token starts at a word boundary. In JSON, an escape sequence may end right before it. */
const start = String.raw`(?<=^|[^A-Za-z0-9]|\\[nrtbf]|\\u[0-9a-fA-F]{4})`;
const shapes = [
  'sk-[A-Za-z0-9_-]{16,}',
  'gh[pousr]_[A-Za-z0-9]{20,}',
  String.raw`github_pat_\w{20,}`,
  String.raw`glpat-[\w-]{16,}`,
  'A[KS]IA[A-Z0-9]{16}',
  'xox[a-z]-[A-Za-z0-9-]{10,}',
  String.raw`AIza[\w-]{30,}`,
  '[rs]k_(?:live|test)_[A-Za-z0-9]{16,}',
  // A JWT has a dot. A run without one also matches but is kept, so that no part of it is scanned again.
  String.raw`eyJ[\w-]{8,}(?:\.[\w-]{8,}(?:\.[\w-]*)?)?`,
  String.raw`zoo_[\w-]{43,}`,
];
const token = new RegExp(`${start}(?:${shapes.join('|')})`, 'g');

const address = /:\/\/([^\s/:@"'\\]{0,256}):[^\s/"'\\]{1,256}@/g;

const inKey = String.raw`[A-Za-z0-9+/=\s\\:,.-]`;
const keyName = '[A-Z0-9 ]{0,30}PRIVATE KEY-----';
/** A key that was cut off has no end marker: it extends as far as key characters do. */
const privateKey = new RegExp(`-----BEGIN ${keyName}(?:${inKey}*?-----END ${keyName}|${inKey}*)`, 'g');

/** Keeps trailing backslashes, which may belong to the following text. */
function removeKey(key: string): string {
  return `${removed}${escapeTail(key)}`;
}

/** Returns a function that removes these values: plain, in JSON, in JSON within JSON, and in addresses. */
function removeValues(values: readonly string[]): (text: string) => string {
  const plain = values.filter((value) => value !== '' && !needsEscapes(value));
  const escaped = values.filter(needsEscapes);
  const written = new Set([...plain, ...values.flatMap(writtenForms)]);
  const everywhere = anyOf([...written].filter((form) => !escaped.includes(form)));
  const outsideJson = anyOf(escaped);
  return (text) => {
    const clean = everywhere?.test(text) ? replaceWhole(text, new RegExp(everywhere, 'g'), () => removed) : text;
    // JSON never contains such a value unescaped: a match there is something else.
    return outsideJson?.test(clean) && !isJson(clean) ? clean.replace(new RegExp(outsideJson, 'g'), removed) : clean;
  };
}

function needsEscapes(value: string): boolean {
  return value !== '' && JSON.stringify(value).length !== value.length + 2;
}

function writtenForms(value: string): string[] {
  if (value === '') return [];
  const once = inJson(value);
  const slashes = value.replaceAll('/', '\\/');
  return [once, inJson(once), slashes, inJson(slashes), asPart(value)];
}

function inJson(value: string): string {
  return JSON.stringify(value).slice(1, -1);
}

/** Half a surrogate pair cannot be encoded in an address. */
function asPart(value: string): string {
  return value.isWellFormed() ? encodeURIComponent(value) : value;
}

/** Longest first, because one value may contain another. */
function anyOf(forms: readonly string[]): RegExp | undefined {
  if (forms.length === 0) return undefined;
  const longestFirst = forms.toSorted((one, other) => other.length - one.length);
  return new RegExp(longestFirst.map((form) => RegExp.escape(form)).join('|'));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** A name and an assignment, with or without quotes: `password=`, `"api_key": "`, `\"token\":\"`. */
const assignment = new RegExp(
  `((?:${secretNamePattern})[\\w-]{0,20})(\\\\{0,8}["'])?\\s{0,3}[:=]\\s{0,3}(?:\\[\\s{0,3})?(\\\\{0,8}["'])?`,
  'gi',
);
const scheme = /(?:bearer|basic|digest|negotiate|token|apikey)\s{1,3}(?=\S)/iy;
const bareValue = /[^\s"'\\,;&<>{}()[\]]+/y;
const harmless = /^(?:true|false|null|undefined|none)$/i;
const countName = /tokens|count|limit|tokeniz/i;
const standAlone = /(bearer|basic)(\s{1,3})([A-Za-z0-9._~+/=:-]{8,})/gi;

/** Removes values that follow a name such as `password`, and credentials after `Bearer` or `Basic`. */
function removeAssigned(text: string): string {
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
    // A bare number after a quoted name is JSON, so its replacement needs quotes.
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
 * Each level of JSON within JSON doubles the backslashes before a quote. A quote that is one level deeper than the opening one is part
 * of the string; any other quote ends the string, or one around it. Backslashes before the closing quote are kept.
 */
function endOfQuoted(text: string, begin: number, quote: string): number | undefined {
  const mark = quote.at(-1) ?? '"';
  const level = 2 * quote.length;
  for (let at = text.indexOf(mark, begin); at !== -1; at = text.indexOf(mark, at + 1)) {
    const backslashes = Math.min(backslashesBefore(text, at), at - begin);
    if (backslashes % level === level - 1) continue;
    const end = at - backslashes;
    // A single-quoted value stays within one line, and within a string in double quotes.
    return mark === "'" && /["\n]/.test(text.slice(begin, end)) ? undefined : end;
  }
  return undefined;
}

/** Pairs of backslashes belong to the text before the quote. */
function quoteOf(found: string | undefined): string | undefined {
  return found !== undefined && found.length % 2 === 1 ? found.slice(-1) : found;
}

/** In JSON, an unescaped quote after an unquoted name does not open a value: it ends the whole string. */
function isEndOfJsonString(text: string, afterQuote: number): boolean {
  return /^\s*[{["]/.test(text) && /^\s{0,200}(?:[,}\]:]|$)/.test(text.slice(afterQuote, afterQuote + 201));
}

/** `Basic authentication` is not a secret. */
function isWord(value: string): boolean {
  return value.length < 20 && /^[A-Za-z]?[a-z]+[.:]?$/.test(value);
}

/** Replaces every match without breaking JSON escapes: in `\nword`, the `n` ends an escape, although a match may start with it. */
function replaceWhole(text: string, pattern: RegExp, by: (match: string) => string): string {
  return text.replace(pattern, (match: string, ...rest: unknown[]) => {
    // Without groups, the offset is the first of the other arguments.
    const offset = Number(rest[0]);
    const whole = by(match);
    return whole === match ? match : `${match.slice(0, escapeOverlap(text, offset))}${whole}`;
  });
}

/** Returns how many characters from here on belong to an escape that began earlier. */
function escapeOverlap(text: string, offset: number): number {
  if (backslashesBefore(text, offset) % 2 === 1) return text[offset] === 'u' ? 5 : 1;
  for (let back = 2; back <= 5; back += 1) {
    const begin = offset - back;
    if (begin < 0 || text[begin] !== '\\' || text[begin + 1] !== 'u') continue;
    if (backslashesBefore(text, begin) % 2 === 0 && /^[0-9a-f]{4}$/i.test(text.slice(begin + 2, begin + 6)))
      return 6 - back;
  }
  return 0;
}

function backslashesBefore(text: string, offset: number): number {
  let count = 0;
  while (text[offset - 1 - count] === '\\') count += 1;
  return count;
}

function escapeTail(text: string): string {
  return text.slice(text.length - backslashesBefore(text, text.length));
}

/** Returns the error without secrets: message and details often quote what a caller sent. */
export function redactError(redact: Redact, error: HubError): HubError {
  const { code, details, cause } = error;
  const message = redact(error.message);
  const text = details && JSON.stringify(details);
  const clean = text && redact(text);
  if (message === error.message && clean === text) return error;
  return new HubError(code, message, { cause, ...(clean !== undefined && { details: JSON.parse(clean) }) });
}
