import { HubError } from './hub-error.ts';

export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };
export type JsonObject = { [key: string]: JsonValue };

export interface JsonLimits {
  maxCharacters: number;
  maxDepth: number;
  /** Values and keys together. */
  maxElements: number;
  /** Reads integers beyond 2^53 as bigints, which keep their value. */
  keepsIntegers?: boolean;
}

export const defaultJsonLimits: JsonLimits = {
  maxCharacters: 4 * 1024 * 1024,
  maxDepth: 64,
  maxElements: 100_000,
};

/**
 * Parses untrusted text. The limits are checked on the raw text before anything is built, so that no
 * input costs more than reading it once. Throws TOO_LARGE or INVALID_ARGUMENTS.
 */
export function parseJson(text: string, limits: JsonLimits = defaultJsonLimits): unknown {
  if (text.length > limits.maxCharacters) {
    throw new HubError(
      'TOO_LARGE',
      `The JSON text has ${text.length} characters; at most ${limits.maxCharacters} are accepted.`,
    );
  }
  // A short text cannot hold much, however it is nested: its depth is checked after parsing.
  const isShort = text.length <= shortCharacters && text.length <= limits.maxElements;
  if (!isShort) checkShape(text, limits);
  let value: unknown;
  try {
    value = limits.keepsIntegers && longInteger.test(text) ? JSON.parse(text, exactInteger) : JSON.parse(text);
  } catch (error) {
    if (isShort) checkShape(text, limits);
    throw new HubError('INVALID_ARGUMENTS', `The text is not valid JSON: ${firstLine(error)}`);
  }
  if (isShort && isDeeper(value, limits.maxDepth)) throw tooDeep(limits);
  // The key `__proto__` can only be written literally or with \u escapes; other texts need no search.
  if (text.includes('__proto__') || text.includes('\\u00')) refuseProtoKeys(value);
  return value;
}

/** Finds texts that may have an integer beyond 2^53. */
const longInteger = /\d{16}/;

function exactInteger(_key: string, value: unknown, { source }: { source?: string } = {}): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value) || source === undefined) return value;
  return /^-?\d+$/.test(source) ? BigInt(source) : value;
}

/** Returns JSON text in which bigints are numbers. */
export function stringifyExact(value: unknown): string {
  return JSON.stringify(value, (_key, each) => (typeof each === 'bigint' ? rawNumber(each) : each));
}

/** Returns data whose bigints JSON.stringify writes as numbers. */
export function withRawNumbers(value: unknown): unknown {
  if (typeof value === 'bigint') return rawNumber(value);
  if (Array.isArray(value)) return value.map(withRawNumbers);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withRawNumbers(each)]));
}

function rawNumber(value: bigint): unknown {
  // TypeScript does not know this function of ES2026 yet.
  return (JSON as typeof JSON & { rawJSON(text: string): unknown }).rawJSON(String(value));
}

const shortCharacters = 1_024;

function isDeeper(value: unknown, maxDepth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (maxDepth === 0) return true;
  if (Array.isArray(value)) return value.some((each) => isDeeper(each, maxDepth - 1));
  // JSON.parse creates plain objects, which have only their own keys.
  for (const key in value) if (isDeeper((value as JsonObject)[key], maxDepth - 1)) return true;
  return false;
}

function tooDeep({ maxDepth }: JsonLimits): HubError {
  return new HubError('TOO_LARGE', `The JSON is nested deeper than ${maxDepth} levels.`);
}

function checkShape(text: string, limits: JsonLimits): void {
  let depth = 0;
  let elements = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 34) {
      index = endOfString(text, index);
    } else if (code === 91 || code === 123) {
      depth += 1;
      elements += 1;
      if (depth > limits.maxDepth) throw tooDeep(limits);
    } else if (code === 93 || code === 125) {
      depth -= 1;
    } else if (code === 44 || code === 58) {
      elements += 1;
    }
  }
  if (elements > limits.maxElements) {
    throw new HubError('TOO_LARGE', `The JSON has ${elements} elements; at most ${limits.maxElements} are accepted.`);
  }
}

/** Returns the index of the closing quote of the string that opens at `start`, or the end of the text. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === 92) backslashes += 1;
    if (backslashes % 2 === 0) return end;
    end = text.indexOf('"', end + 1);
  }
  return text.length;
}

/** Throws for objects that would change a prototype when copied. */
function refuseProtoKeys(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  if (Object.hasOwn(value, '__proto__')) {
    throw new HubError('INVALID_ARGUMENTS', 'The key "__proto__" is not accepted in JSON input.');
  }
  for (const child of Object.values(value)) refuseProtoKeys(child);
}

const cachedText = new WeakMap<object, string>();

/** Stringifies a frozen object only once. Values that may still change are stringified each time. */
export function stringifyFrozen(value: object): string {
  const known = cachedText.get(value);
  if (known !== undefined) return known;
  const text = JSON.stringify(value);
  if (Object.isFrozen(value)) cachedText.set(value, text);
  return text;
}

function firstLine(error: unknown): string {
  return error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
}

/**
 * Returns the same text for equal JSON values, regardless of the order of their keys; `1` and `1.0` are equal. Stored hashes of
 * accepted tools depend on this text.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'number') return String(value === 0 ? 0 : value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const entries = Object.entries(value)
    .filter(([, each]) => each !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${entries.map(([key, each]) => `${JSON.stringify(key)}:${canonicalJson(each)}`).join(',')}}`;
}
