import { HubError } from '../../base/hub-error.ts';
import { secretNamePattern } from '../../base/secret-names.ts';
import { openSecrets } from './redact-open.ts';

/** Takes secrets out of a text, and leaves the rest as it is. What was JSON stays JSON. */
export type Redact = ((text: string) => string) & {
  /** Grows when it was told of more values: whoever remembers that a text is clean looks again. */
  readonly learned?: number;
  /** From where on a text that still grows may be the beginning of a secret; its length when nowhere. */
  readonly openFrom?: (text: string) => number;
};

/** Stands where a secret was. */
const removed = '[removed]';

/**
 * Known values, and what has the shape of a secret: keys of well-known services, our own tokens, private keys, passwords
 * in addresses, and what follows a name such as `password` or `Authorization`. Works on the text, also inside JSON that
 * is a string in JSON. Takes time in proportion to the text, whatever it holds; a clean text is looked at once.
 */
export function createRedact({ values }: { values: readonly string[] }): Redact {
  const withoutValues = removeValues(values);
  const redact = (text: string) => {
    const known = withoutValues(text);
    return suspicious.test(known) ? removeAssigned(removeShapes(known)) : known;
  };
  return Object.assign(redact, { openFrom: openSecrets(values) });
}

/** One that is told of more values while it is used, and forgets none. */
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
      // Longest first: one may hold another.
      current = createRedact({ values: [...known].toSorted((one, other) => other.length - one.length) });
      learned += 1;
    },
  };
}

/** Shorter ones are words that stand in any text. */
const shortest = 8;

/** Every secret below holds one of these. */
const suspicious =
  /sk-|gh[pousr]_|github_pat_|glpat-|A[KS]IA|xox[a-z]-|AIza|eyJ|zoo_[\w-]{43}|k_(?:live|test)_|PRIVATE KEY|:\/\/[^\s/]*@|bearer|basic|authorization|passw|passphrase|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credential/i;

function removeShapes(text: string): string {
  const others = text.replace(privateKey, removeKey).replace(address, `://$1:${removed}@`);
  return replaceWhole(others, token, (match) => (match.startsWith('eyJ') && !match.includes('.') ? match : removed));
}

/** What stands before a token is no part of a word; in JSON a word may stand before it as the end of an escape. */
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
  // With a dot in it; one without is taken, too, and left as it is, so that no part of it is looked at again.
  String.raw`eyJ[\w-]{8,}(?:\.[\w-]{8,}(?:\.[\w-]*)?)?`,
  String.raw`zoo_[\w-]{43,}`,
];
const token = new RegExp(`${start}(?:${shapes.join('|')})`, 'g');

const address = /:\/\/([^\s/:@"'\\]{0,256}):[^\s/"'\\]{1,256}@/g;

const inKey = String.raw`[A-Za-z0-9+/=\s\\:,.-]`;
const keyName = '[A-Z0-9 ]{0,30}PRIVATE KEY-----';
/** One that was cut off has no end: it goes as far as a key may. */
const privateKey = new RegExp(`-----BEGIN ${keyName}(?:${inKey}*?-----END ${keyName}|${inKey}*)`, 'g');

/** A backslash at the end may belong to what follows. */
function removeKey(key: string): string {
  return `${removed}${escapeTail(key)}`;
}

/** A text without these values, as they are and as they stand in JSON, in JSON within JSON, and in addresses. */
function removeValues(values: readonly string[]): (text: string) => string {
  const plain = values.filter((value) => value !== '' && !needsEscapes(value));
  const escaped = values.filter(needsEscapes);
  const written = new Set([...plain, ...values.flatMap(writtenForms)]);
  const everywhere = anyOf([...written].filter((form) => !escaped.includes(form)));
  const outsideJson = anyOf(escaped);
  return (text) => {
    const clean = everywhere?.test(text) ? replaceWhole(text, new RegExp(everywhere, 'g'), () => removed) : text;
    // In JSON such a value is never written as it is: what looks like it is something else.
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

/** Half of a pair of surrogates cannot be written in an address. */
function asPart(value: string): string {
  return value.isWellFormed() ? encodeURIComponent(value) : value;
}

/** Longest first: one may hold another. */
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

/**
 * Replaces every match, and leaves whole what JSON has before it: in `\nword` the `n` is the end of an escape, although a
 * match may begin with it.
 */
function replaceWhole(text: string, pattern: RegExp, by: (match: string) => string): string {
  return text.replace(pattern, (match: string, ...rest: unknown[]) => {
    // Without groups the place is the first of the rest.
    const offset = Number(rest[0]);
    const whole = by(match);
    return whole === match ? match : `${match.slice(0, escapeOverlap(text, offset))}${whole}`;
  });
}

/** How many characters from here on are the end of an escape that began before. */
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

/** The same error without secrets: message and details often quote what somebody sent. */
export function redactError(redact: Redact, error: HubError): HubError {
  const { code, details, cause } = error;
  const message = redact(error.message);
  const text = details && JSON.stringify(details);
  const clean = text && redact(text);
  if (message === error.message && clean === text) return error;
  return new HubError(code, message, { cause, ...(clean !== undefined && { details: JSON.parse(clean) }) });
}
