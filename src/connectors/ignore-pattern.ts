/** One rule of an ignore file, as git reads it (gitignore(5)). */
export interface IgnoreRule {
  /** As it stands in the file. */
  text: string;
  /** From 1. */
  line: number;
  isNegated: boolean;
  /** `path` is relative to the folder of the ignore file. */
  matches(path: IgnorePath): boolean;
}

/** Paths are compared byte by byte, as git does it: `?` is one byte of a character that has several. */
interface IgnorePath {
  /** UTF-8, one character for each byte; `/` between the parts. */
  bytes: string;
  isFolder: boolean;
}

/** The rules of a file in their order; of several that match a path, the last one counts. */
export function parseIgnoreFile(content: Uint8Array, options: { ignoreCase: boolean }): IgnoreRule[] {
  const rules: IgnoreRule[] = [];
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.length).toString('latin1');
  for (const [index, raw] of bytes
    .replace(/^\xef\xbb\xbf/, '')
    .split('\n')
    .entries()) {
    if (raw.startsWith('#')) continue;
    const [text = ''] = raw.replace(/\r$/, '').split('\0');
    const rule = parseRule(trimTrailingSpaces(text), index + 1, options);
    if (rule) rules.push(rule);
  }
  return rules;
}

export function toBytes(path: string): string {
  return Buffer.byteLength(path) === path.length ? path : Buffer.from(path).toString('latin1');
}

function parseRule(text: string, line: number, { ignoreCase }: { ignoreCase: boolean }): IgnoreRule | undefined {
  const isNegated = text.startsWith('!');
  const written = isNegated ? text.slice(1) : text;
  const isForFolders = written.endsWith('/');
  const whole = fold(isForFolders ? written.slice(0, -1) : written);
  if (whole === '') return undefined;
  const isName = !whole.includes('/');
  const pattern = whole.startsWith('/') ? whole.slice(1) : whole;
  // Text before the first special character is compared as it is: behind it, `**` counts as the beginning of the pattern.
  const special = pattern.search(/[*?[\\]/);
  const prefix = special < 0 ? pattern : pattern.slice(0, special);
  const rest = special < 0 ? undefined : compileGlob(pattern.slice(special), { crossesSlash: isName });

  return {
    text: Buffer.from(text, 'latin1').toString(),
    line,
    isNegated,
    matches({ bytes, isFolder }) {
      if (isForFolders && !isFolder) return false;
      const path = fold(isName ? bytes.slice(bytes.lastIndexOf('/') + 1) : bytes);
      if (rest === undefined) return path === prefix;
      return path.startsWith(prefix) && rest(path.slice(prefix.length));
    },
  };

  function fold(bytes: string): string {
    return ignoreCase ? bytes.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()) : bytes;
  }
}

/** A backslash keeps the space behind it. */
function trimTrailingSpaces(text: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === ' ') end -= 1;
  if (end === text.length) return text;
  let backslashes = 0;
  while (text[end - 1 - backslashes] === '\\') backslashes += 1;
  return text.slice(0, backslashes % 2 === 1 ? end + 1 : end);
}

type Step =
  | { kind: 'one'; takes(byte: number): boolean }
  /** Any number of bytes; without `crosses` none of them is a slash. */
  | { kind: 'many'; crosses: boolean }
  /** `**` and the slash behind it: nothing, or anything that ends with a slash. */
  | { kind: 'folders' };

const slash = 47;

/** A glob that is never right matches nothing, such as one with an open bracket. */
function compileGlob(glob: string, options: { crossesSlash: boolean }): (text: string) => boolean {
  const steps = readSteps(glob, options.crossesSlash);
  if (!steps) return () => false;
  return (text) => runSteps(steps, text);
}

function readSteps(glob: string, crossesSlash: boolean): Step[] | undefined {
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
      const { takes } = set;
      steps.push({ kind: 'one', takes: (byte) => takes(byte) && (crossesSlash || byte !== slash) });
      at = set.end;
    } else if (sign === '?') {
      steps.push({ kind: 'one', takes: (byte) => crossesSlash || byte !== slash });
      at += 1;
    } else {
      if (sign === '\\') at += 1;
      const wanted = glob.charCodeAt(at);
      // A backslash at the end escapes nothing, and then nothing matches.
      if (Number.isNaN(wanted)) return undefined;
      steps.push({ kind: 'one', takes: (byte) => byte === wanted });
      at += 1;
    }
  }
  return steps;
}

/** All places that can be reached are followed at once, so the time is the product of both lengths at most. */
function runSteps(steps: readonly Step[], text: string): boolean {
  let reached = new Uint8Array(text.length + 1);
  reached[0] = 1;
  for (const step of steps) {
    const next = new Uint8Array(text.length + 1);
    if (step.kind === 'one') {
      for (let at = 0; at < text.length; at++) if (reached[at] && step.takes(text.charCodeAt(at))) next[at + 1] = 1;
    } else {
      let isOpen = false;
      for (let at = 0; at <= text.length; at++) {
        if (at > 0 && step.kind === 'many' && !step.crosses && text.charCodeAt(at - 1) === slash) isOpen = false;
        if (step.kind === 'many') {
          if (reached[at]) isOpen = true;
          if (isOpen) next[at] = 1;
        } else {
          if (reached[at] || (isOpen && text.charCodeAt(at - 1) === slash)) next[at] = 1;
          if (reached[at]) isOpen = true;
        }
      }
    }
    reached = next;
  }
  return reached[text.length] === 1;
}

/** What stands between brackets; `from` is behind the opening one. */
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
