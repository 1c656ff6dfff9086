/** Matches `*` with any run of characters and everything else literally. Takes linear time for any text and pattern. */
export function matchesGlob(pattern: string, text: string): boolean {
  return pattern.includes('*') ? matches(compile(pattern), text) : pattern === text;
}

export function matchesAnyGlob(patterns: readonly string[], text: string): boolean {
  return patterns.some((pattern) => matchesGlob(pattern, text));
}

/** Patterns compiled for many lookups. */
export interface GlobList {
  /** Returns the first pattern that matches. */
  find(text: string): string | undefined;
}

export function compileGlobs(patterns: readonly string[]): GlobList {
  /** Patterns without a star, with their positions in the list. */
  const exact = new Map<string, number>();
  const globs: { position: number; glob: Glob }[] = [];
  for (const [position, pattern] of patterns.entries()) {
    if (pattern.includes('*')) globs.push({ position, glob: compile(pattern) });
    else if (!exact.has(pattern)) exact.set(pattern, position);
  }
  return {
    find(text) {
      const last = exact.get(text) ?? patterns.length;
      for (const { position, glob } of globs) {
        if (position > last) break;
        if (matches(glob, text)) return patterns[position];
      }
      return patterns[last];
    },
  };
}

/** The text before the first star and after the last one, and the segments that must appear between them in this order. */
interface Glob {
  prefix: string;
  suffix: string;
  between: Segment[];
  minLength: number;
}

interface Segment {
  text: string;
  /** The Knuth-Morris-Pratt failure table; only for long segments. */
  borders: Int32Array | undefined;
}

function compile(pattern: string): Glob {
  const segments = pattern.split('*');
  const prefix = segments[0] ?? '';
  const suffix = segments.at(-1) ?? '';
  const between = segments.slice(1, -1).filter((text) => text !== '');
  return {
    prefix,
    suffix,
    between: between.map((text) => ({ text, borders: text.length > longestPlain ? bordersOf(text) : undefined })),
    minLength: pattern.length - segments.length + 1,
  };
}

function matches({ prefix, suffix, between, minLength }: Glob, text: string): boolean {
  if (text.length < minLength || !text.startsWith(prefix) || !text.endsWith(suffix)) return false;
  const end = text.length - suffix.length;
  let from = prefix.length;
  for (const segment of between) {
    // The first match is the best one: it leaves the most text for the segments that follow.
    const start = segment.borders
      ? findLong(segment.text, segment.borders, text, from)
      : text.indexOf(segment.text, from);
    if (start < 0 || start + segment.text.length > end) return false;
    from = start + segment.text.length;
  }
  return true;
}

/** For segments up to this length, the time that `indexOf` takes per character is bounded. */
const longestPlain = 16;

function findLong(segment: string, borders: Int32Array, text: string, from: number): number {
  let matched = 0;
  for (let index = from; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    while (matched > 0 && segment.charCodeAt(matched) !== code) matched = borders[matched - 1] ?? 0;
    if (segment.charCodeAt(matched) === code) matched += 1;
    if (matched === segment.length) return index + 1 - matched;
  }
  return -1;
}

function bordersOf(segment: string): Int32Array {
  const borders = new Int32Array(segment.length);
  let length = 0;
  for (let index = 1; index < segment.length; index += 1) {
    const code = segment.charCodeAt(index);
    while (length > 0 && segment.charCodeAt(length) !== code) length = borders[length - 1] ?? 0;
    if (segment.charCodeAt(length) === code) length += 1;
    borders[index] = length;
  }
  return borders;
}
