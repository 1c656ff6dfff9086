/** The parts of an ECMAScript regular expression that a linear matcher can run. */
export type PatternPart =
  | { kind: 'character'; set: CharacterSet }
  | { kind: 'assertion'; assertion: Assertion }
  | { kind: 'sequence'; parts: PatternPart[] }
  | { kind: 'choice'; parts: PatternPart[] }
  | { kind: 'repeat'; part: PatternPart; min: number; max: number };

export type Assertion = 'start' | 'end' | 'boundary' | 'inside';

/** Matches the code points in `ranges` (sorted pairs, both ends included) or with one of `properties`; all others if negated. */
export interface CharacterSet {
  ranges: readonly number[];
  properties: readonly RegExp[];
  isNegated: boolean;
}

/** Says why a pattern cannot be used. The message follows the name of the pattern: `uses lookahead, which …`. */
export class PatternFault extends Error {}

const maxLength = 10_000;
const maxNesting = 200;

const hyphen = 45;
const digits = [48, 57];
const words = [48, 57, 65, 90, 95, 95, 97, 122];
const lineEnds = [10, 10, 13, 13, 0x2028, 0x2029];
const spaces = [9, 13, 32, 32, 0xa0, 0xa0, 0x1680, 0x1680, 0x2000, 0x200a, 0x2028, 0x2029, 0x202f, 0x202f];
spaces.push(0x205f, 0x205f, 0x3000, 0x3000, 0xfeff, 0xfeff);
const classes: Record<string, readonly number[]> = { d: digits, w: words, s: spaces };
const controls: Record<string, number> = { n: 10, r: 13, t: 9, f: 12, v: 11, 0: 0 };

/**
 * Reads a pattern as ECMAScript does with the flag `u`. Also accepts escaped punctuation, which only the old syntax
 * allows. Throws a PatternFault for anything that no linear matcher can run.
 */
export function readPattern(source: string): PatternPart {
  if (source.length > maxLength) throw new PatternFault(`is longer than ${maxLength} characters`);
  refuseUnlessValid(source);
  let at = 0;
  let nesting = 0;
  const knownProperties = new Map<string, RegExp>();
  const whole = readChoice();
  if (at < source.length) throw new PatternFault('is not a regular expression: it closes a group that is not open');
  return whole;

  function readChoice(): PatternPart {
    const parts = [readSequence()];
    while (source[at] === '|') {
      at += 1;
      parts.push(readSequence());
    }
    return parts.length === 1 && parts[0] ? parts[0] : { kind: 'choice', parts };
  }

  function readSequence(): PatternPart {
    const parts: PatternPart[] = [];
    while (at < source.length && source[at] !== '|' && source[at] !== ')') parts.push(readRepeated());
    return { kind: 'sequence', parts };
  }

  function readRepeated(): PatternPart {
    const part = readAtom();
    const quantifier = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/.exec(source.slice(at, at + 40));
    if (!quantifier) return part;
    at += quantifier[0].length;
    const [text, low, comma, high] = quantifier;
    if (low === undefined) {
      return { kind: 'repeat', part, min: text.startsWith('+') ? 1 : 0, max: text.startsWith('?') ? 1 : Infinity };
    }
    const min = Number(low);
    return { kind: 'repeat', part, min, max: high ? Number(high) : comma ? Infinity : min };
  }

  function readAtom(): PatternPart {
    const letter = next();
    if (letter === '^') return { kind: 'assertion', assertion: 'start' };
    if (letter === '$') return { kind: 'assertion', assertion: 'end' };
    if (letter === '.') return character({ ranges: lineEnds, properties: [], isNegated: true });
    if (letter === '(') return readGroup();
    if (letter === '[') return character(readClass());
    if (letter !== '\\') return character(only(letter.codePointAt(0) ?? 0));
    if (source[at] === 'b' || source[at] === 'B') {
      at += 1;
      return { kind: 'assertion', assertion: source[at - 1] === 'b' ? 'boundary' : 'inside' };
    }
    if (/[1-9k]/.test(source[at] ?? '')) throw new PatternFault(unsupported('a back reference'));
    return character(readEscape());
  }

  function readGroup(): PatternPart {
    const opening = /^\?(?::|<[\p{L}_$][\p{L}\p{N}_$]*>)/u.exec(source.slice(at, at + 200));
    if (opening) at += opening[0].length;
    else if (source[at] === '?') throw new PatternFault(unsupported(namesGroup(source.slice(at, at + 3))));
    nesting += 1;
    if (nesting > maxNesting) throw new PatternFault(`nests groups deeper than ${maxNesting} levels`);
    const inside = readChoice();
    nesting -= 1;
    if (next() !== ')') throw new PatternFault('is not a regular expression: a group is not closed');
    return inside;
  }

  /** Reads what follows a backslash. */
  function readEscape(): CharacterSet {
    const letter = next();
    const known = classes[letter.toLowerCase()];
    if (known && /[a-z]/i.test(letter)) {
      return { ranges: known, properties: [], isNegated: letter !== letter.toLowerCase() };
    }
    const pair = /^u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})/i.exec(source.slice(at - 1, at + 11));
    if (pair) {
      at += pair[0].length - 1;
      const [, high = '', low = ''] = pair;
      return only(String.fromCharCode(Number.parseInt(high, 16), Number.parseInt(low, 16)).codePointAt(0) ?? 0);
    }
    const hex = /^(?:x([0-9a-f]{2})|u([0-9a-f]{4})|u\{([0-9a-f]{1,8})\})/i.exec(source.slice(at - 1, at + 11));
    if (hex) {
      at += hex[0].length - 1;
      return only(Number.parseInt(hex[1] ?? hex[2] ?? hex[3] ?? '', 16));
    }
    const control = /^c([a-z])/i.exec(source.slice(at - 1, at + 1));
    if (control) {
      at += 1;
      return only((control[1] ?? '').charCodeAt(0) % 32);
    }
    refuseOldEscape(source.slice(at - 1, at + 2));
    const property = /^[pP]\{[^}]{1,80}\}/.exec(source.slice(at - 1, at + 90));
    if (property) {
      at += property[0].length - 1;
      return { ranges: [], properties: [propertyOf(property[0], knownProperties)], isNegated: false };
    }
    return only(controls[letter] ?? letter.codePointAt(0) ?? 0);
  }

  function readClass(): CharacterSet {
    const isNegated = source[at] === '^';
    if (isNegated) at += 1;
    const ranges: number[] = [];
    const properties: RegExp[] = [];
    const take = (member: CharacterSet) => {
      for (const end of member.isNegated ? complement(member.ranges) : member.ranges) ranges.push(end);
      for (const each of member.properties) if (!properties.includes(each)) properties.push(each);
    };
    while (source[at] !== ']') {
      const from = readMember();
      if (source[at] !== '-' || source[at + 1] === ']') {
        take(from);
        continue;
      }
      at += 1;
      const to = readMember();
      if (isOne(from) && isOne(to)) ranges.push(from.ranges[0] ?? 0, to.ranges[0] ?? 0);
      else {
        // Between a letter and a class, as in [.-\s], the old syntax takes the hyphen literally.
        take(from);
        take(only(hyphen));
        take(to);
      }
    }
    at += 1;
    return { ranges: merged(ranges), properties, isNegated };
  }

  function readMember(): CharacterSet {
    const letter = next();
    if (letter !== '\\') return only(letter.codePointAt(0) ?? 0);
    if (source[at] !== 'b') return readEscape();
    at += 1;
    return only(8);
  }

  function next(): string {
    const letter = source.codePointAt(at);
    if (letter === undefined) throw new PatternFault('is not a regular expression: it ends too early');
    const text = String.fromCodePoint(letter);
    at += text.length;
    return text;
  }
}

/** Lets the JavaScript engine decide whether a pattern is valid. The engine matches nothing here. */
function refuseUnlessValid(source: string): void {
  try {
    new RegExp(source, 'u');
  } catch (error) {
    try {
      new RegExp(source);
    } catch {
      const message = error instanceof Error ? error.message : '';
      const why = /: ([^:]+)$/.exec(message)?.[1] ?? 'it cannot be read';
      throw new PatternFault(`is not a regular expression: ${why.charAt(0).toLowerCase()}${why.slice(1)}`);
    }
  }
}

/** Throws for escapes that have a surprising meaning in the old syntax and are invalid with the flag `u`. */
function refuseOldEscape(escaped: string): void {
  if (escaped.startsWith('c')) {
    const advice = 'write "\\\\c" for a backslash and a c';
    throw new PatternFault(`uses "\\c" without the letter of a control character after it; ${advice}`);
  }
  const digits = /^(?:[1-9]\d*|0\d+)/.exec(escaped)?.[0];
  if (digits === undefined) return;
  const advice = 'write "\\x" and two hexadecimal digits for the character with a number';
  throw new PatternFault(`uses "\\${digits}", an octal escape, which is not supported; ${advice}`);
}

function propertyOf(written: string, known: Map<string, RegExp>): RegExp {
  try {
    const property = known.get(written) ?? new RegExp(`^\\${written}$`, 'u');
    known.set(written, property);
    return property;
  } catch {
    throw new PatternFault(`names a property of characters that does not exist: \\${written}`);
  }
}

function namesGroup(opening: string): string {
  if (opening.startsWith('?=') || opening.startsWith('?!')) return 'lookahead';
  return opening.startsWith('?<') ? 'lookbehind' : 'flags inside the pattern';
}

function unsupported(what: string): string {
  return `uses ${what}, which is not supported: it cannot be matched in bounded time`;
}

function character(set: CharacterSet): PatternPart {
  return { kind: 'character', set };
}

function isOne({ ranges, isNegated }: CharacterSet): boolean {
  return !isNegated && ranges.length === 2 && ranges[0] === ranges[1];
}

/** Sorts the ranges and joins those that touch, as the search by bisection requires. */
function merged(ranges: readonly number[]): number[] {
  const pairs: [low: number, high: number][] = [];
  for (let index = 0; index < ranges.length; index += 2) pairs.push([ranges[index] ?? 0, ranges[index + 1] ?? 0]);
  const joined: number[] = [];
  for (const [low, high] of pairs.sort(([one], [other]) => one - other)) {
    const end = joined.at(-1);
    if (end !== undefined && low <= end + 1) joined[joined.length - 1] = Math.max(end, high);
    else joined.push(low, high);
  }
  return joined;
}

function only(code: number): CharacterSet {
  return { ranges: [code, code], properties: [], isNegated: false };
}

/** Returns the code points outside the ranges, which must be sorted. */
function complement(ranges: readonly number[]): number[] {
  const others: number[] = [];
  let from = 0;
  for (let index = 0; index < ranges.length; index += 2) {
    const [low = 0, high = 0] = ranges.slice(index, index + 2);
    if (low > from) others.push(from, low - 1);
    from = high + 1;
  }
  return [...others, from, 0x10ffff];
}
