import { HubError } from '../base/hub-error.ts';

/** One rule of an ignore file, as git reads it (gitignore(5)). */
export interface IgnoreRule {
  /** As written in the file. */
  text: string;
  /** From 1. */
  line: number;
  isNegated: boolean;
  /** `path` is relative to the folder of the ignore file. Returns false when the effort runs out, so check `effort` afterwards. */
  matches(path: IgnorePath, effort: Effort): boolean;
}

/** Paths are compared byte by byte, like in git: `?` matches one byte of a multi-byte character. */
export interface IgnorePath {
  /** UTF-8 with one character per byte, separated by `/`. */
  bytes: string;
  /** The last part of the path. */
  name: string;
  isFolder: boolean;
}

/** The steps left to judge one path. Each rule costs one step, and so does each position that its wildcards try. */
export interface Effort {
  left: number;
}

export interface ParseOptions {
  ignoreCase: boolean;
  /** The number of rules from the folders above and from other files in this folder. */
  already: number;
}

/** The maximum length of a path. */
const maxRuleBytes = 4_096;
/** The maximum number of rules for one folder, including inherited ones. Large projects have a few hundred. */
const maxRules = 20_000;

/**
 * Returns the rules of a file in order. The last rule that matches a path decides. Throws UNAVAILABLE, with a message that
 * continues "Its .gitignore …", when the file exceeds the limits, because its effect is then unknown.
 */
export function parseIgnoreFile(content: Uint8Array, options: ParseOptions): IgnoreRule[] {
  const rules: IgnoreRule[] = [];
  const sets = new Map<string, ByteSet>();
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.length).toString('latin1');
  for (const [index, raw] of bytes
    .replace(/^\xef\xbb\xbf/, '')
    .split('\n')
    .entries()) {
    if (raw.startsWith('#')) continue;
    const [untrimmed = ''] = raw.replace(/\r$/, '').split('\0');
    const text = trimTrailingSpaces(untrimmed);
    if (text.length > maxRuleBytes) {
      throw tooMuch(
        `has a rule of more than ${maxRuleBytes.toLocaleString('en')} bytes in line ${index + 1}. Shorten it.`,
      );
    }
    const rule = parseRule(text, index + 1, { ...options, sets });
    if (!rule) continue;
    if (rules.length + options.already === maxRules) {
      const limit = maxRules.toLocaleString('en');
      throw tooMuch(
        `has too many rules: a folder may have at most ${limit}, including those of the folders above. Remove some.`,
      );
    }
    rules.push(rule);
  }
  return rules;
}

function tooMuch(message: string): HubError {
  return new HubError('UNAVAILABLE', message);
}

export function toBytes(path: string): string {
  return Buffer.byteLength(path) === path.length ? path : Buffer.from(path).toString('latin1');
}

function parseRule(
  text: string,
  line: number,
  { ignoreCase, sets }: { ignoreCase: boolean; sets: Map<string, ByteSet> },
): IgnoreRule | undefined {
  const isNegated = text.startsWith('!');
  const written = isNegated ? text.slice(1) : text;
  const isForFolders = written.endsWith('/');
  const whole = fold(isForFolders ? written.slice(0, -1) : written);
  if (whole === '') return undefined;
  const isName = !whole.includes('/');
  const pattern = whole.startsWith('/') ? whole.slice(1) : whole;
  // Text before the first special character is compared literally. After it, `**` counts as the beginning of the pattern.
  const special = pattern.search(/[*?[\\]/);
  const prefix = special < 0 ? pattern : pattern.slice(0, special);
  const rest = special < 0 ? undefined : compileGlob(pattern.slice(special), { crossesSlash: isName, sets });

  return {
    text: Buffer.from(text, 'latin1').toString(),
    line,
    isNegated,
    matches({ bytes, name, isFolder }, effort) {
      effort.left -= 1;
      if (isForFolders && !isFolder) return false;
      const path = fold(isName ? name : bytes);
      if (rest === undefined) return path === prefix;
      return path.startsWith(prefix) && rest(path.slice(prefix.length), effort);
    },
  };

  function fold(bytes: string): string {
    return ignoreCase ? bytes.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()) : bytes;
  }
}

/** Trims trailing spaces, but keeps a space after a backslash. */
function trimTrailingSpaces(text: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === ' ') end -= 1;
  if (end === text.length) return text;
  let backslashes = 0;
  while (text[end - 1 - backslashes] === '\\') backslashes += 1;
  return text.slice(0, backslashes % 2 === 1 ? end + 1 : end);
}

/** 1 for each byte in the set. */
type ByteSet = Uint8Array;

type Step =
  | { kind: 'one'; of: ByteSet }
  /** Any number of bytes. Without `crosses`, none of them may be a slash. */
  | { kind: 'many'; crosses: boolean }
  /** `**` followed by a slash: matches nothing, or anything that ends with a slash. */
  | { kind: 'folders' };

interface GlobOptions {
  crossesSlash: boolean;
  /** A cache of the file's sets by their source text, because hostile files repeat them thousands of times. */
  sets: Map<string, ByteSet>;
}

const slash = 47;

/** Compiles a glob. An invalid one, such as one with an open bracket, matches nothing. */
function compileGlob(glob: string, options: GlobOptions): (text: string, effort: Effort) => boolean {
  const steps = readSteps(glob, options);
  if (!steps) return () => false;
  const minLength = steps.filter(({ kind }) => kind === 'one').length;
  const end = literalEnd(glob);
  return (text, effort) => text.length >= minLength && text.endsWith(end) && runSteps(steps, text, effort);
}

/** Returns the literal text that every match ends with. The slash after `**` is optional. */
function literalEnd(glob: string): string {
  let start = glob.length;
  while (start > 0 && !'*?[]\\'.includes(glob[start - 1] ?? '')) start -= 1;
  if (glob[start - 1] === '\\' || glob[start] === '/') start += 1;
  return glob.slice(start);
}

function readSteps(glob: string, { crossesSlash, sets }: GlobOptions): Step[] | undefined {
  const steps: Step[] = [];
  let at = 0;
  while (at < glob.length) {
    const sign = glob[at];
    if (sign === '*') {
      let end = at;
      while (glob[end] === '*') end += 1;
      const startsPart = at === 0 || glob[at - 1] === '/';
      const follows = glob.slice(end, end + 2);
      const isWholePart = end - at > 1 && startsPart && (follows === '' || follows[0] === '/' || follows === '\\/');
      if (isWholePart && !crossesSlash && follows[0] === '/') {
        steps.push({ kind: 'folders' });
        end += 1;
      } else steps.push({ kind: 'many', crosses: crossesSlash || isWholePart });
      at = end;
    } else if (sign === '[') {
      const set = readSet(glob, at + 1);
      if (!set) return undefined;
      const key = `${crossesSlash}${glob.slice(at, set.end)}`;
      const { takes } = set;
      steps.push({ kind: 'one', of: setOf(key, (byte) => takes(byte) && (crossesSlash || byte !== slash)) });
      at = set.end;
    } else if (sign === '?') {
      steps.push({ kind: 'one', of: setOf(`${crossesSlash}?`, (byte) => crossesSlash || byte !== slash) });
      at += 1;
    } else {
      if (sign === '\\') at += 1;
      const wanted = glob.charCodeAt(at);
      // A glob with a trailing backslash matches nothing.
      if (Number.isNaN(wanted)) return undefined;
      steps.push({ kind: 'one', of: setOf(`\\${wanted}`, (byte) => byte === wanted) });
      at += 1;
    }
  }
  return steps;

  function setOf(key: string, takes: (byte: number) => boolean): ByteSet {
    let set = sets.get(key);
    if (!set) {
      set = Uint8Array.from({ length: 256 }, (_, byte) => (takes(byte) ? 1 : 0));
      sets.set(key, set);
    }
    return set;
  }
}

/** Tracks all reachable positions at once, so that the cost is at most the product of both lengths. */
function runSteps(steps: readonly Step[], text: string, effort: Effort): boolean {
  // The reachable positions in order, and their number.
  let reached = new Int32Array(text.length + 1);
  let next = new Int32Array(text.length + 1);
  let count = 1;
  for (const step of steps) {
    let found = 0;
    if (step.kind === 'one') {
      effort.left -= count;
      for (let index = 0; index < count; index++) {
        const at = reached[index] ?? 0;
        if (at < text.length && step.of[text.charCodeAt(at)] === 1) next[found++] = at + 1;
      }
    } else {
      const first = reached[0] ?? 0;
      effort.left -= text.length - first + 1;
      let isOpen = false;
      let index = 0;
      for (let at = first; at <= text.length; at++) {
        const isReached = index < count && reached[index] === at;
        if (isReached) index += 1;
        const isAfterSlash = at > first && text.charCodeAt(at - 1) === slash;
        const isMany = step.kind === 'many';
        isOpen = isReached || (isMany ? isOpen && (step.crosses || !isAfterSlash) : isAfterSlash);
        if (isOpen) next[found++] = at;
      }
    }
    if (found === 0 || effort.left < 0) return false;
    [reached, next, count] = [next, reached, found];
  }
  return reached[count - 1] === text.length;
}

/** Parses a bracket expression. `from` is after the opening bracket. */
function readSet(glob: string, from: number): { takes(byte: number): boolean; end: number } | undefined {
  const accepts: ((byte: number) => boolean)[] = [];
  let at = from;
  const isNegated = glob[at] === '!' || glob[at] === '^';
  if (isNegated) at += 1;
  let previous: number | undefined;
  for (let isFirst = true; isFirst || glob[at] !== ']'; isFirst = false) {
    if (at >= glob.length) return undefined;
    if (glob[at] === '[' && glob[at + 1] === ':') {
      const close = glob.indexOf(']', at + 2);
      if (close < 0) return undefined;
      if (close - 1 >= at + 2 && glob[close - 1] === ':') {
        const named = classes.get(glob.slice(at + 2, close - 1));
        if (!named) return undefined;
        accepts.push(named);
        previous = undefined;
        at = close + 1;
        continue;
      }
    }
    if (glob[at] === '-' && previous !== undefined && at + 1 < glob.length && glob[at + 1] !== ']') {
      at += glob[at + 1] === '\\' ? 2 : 1;
      if (at >= glob.length) return undefined;
      const [low, high] = [previous, glob.charCodeAt(at)];
      accepts.push((byte) => byte >= low && byte <= high);
      previous = undefined;
    } else {
      if (glob[at] === '\\') at += 1;
      if (at >= glob.length) return undefined;
      const wanted = glob.charCodeAt(at);
      accepts.push((byte) => byte === wanted);
      previous = wanted;
    }
    at += 1;
  }
  return { takes: (byte) => accepts.some((accept) => accept(byte)) !== isNegated, end: at + 1 };
}

const within = (set: RegExp) => (byte: number) => set.test(String.fromCharCode(byte));
const classes: ReadonlyMap<string, (byte: number) => boolean> = new Map(
  Object.entries({
    alnum: within(/[A-Za-z0-9]/),
    alpha: within(/[A-Za-z]/),
    blank: within(/[ \t]/),
    cntrl: (byte: number) => byte < 32 || byte === 127,
    digit: within(/[0-9]/),
    graph: within(/[!-~]/),
    lower: within(/[a-z]/),
    print: within(/[ -~]/),
    punct: within(/[!-/:-@[-`{-~]/),
    space: within(/[ \t\n\r]/),
    upper: within(/[A-Z]/),
    xdigit: within(/[0-9A-Fa-f]/),
  }),
);
