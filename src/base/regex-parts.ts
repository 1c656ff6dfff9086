/** The parts of a regular expression that `isSafePattern` can judge. */
export type RegexPart =
  /** One character; the mask has a bit for each ASCII one, and one for all others. */
  | { kind: 'characters'; mask: bigint }
  | { kind: 'start' }
  /** `$`, `\b`, `\B`: they take no character. */
  | { kind: 'assertion' }
  | { kind: 'sequence'; parts: RegexPart[] }
  | { kind: 'choice'; parts: RegexPart[] }
  | { kind: 'repeat'; part: RegexPart; min: number; max: number };

const others = 1n << 128n;
const everything = (1n << 129n) - 1n;
const digits = range(48, 57);
const words = digits | range(65, 90) | range(97, 122) | (1n << 95n);
const spaces = range(9, 13) | (1n << 32n) | others;
const lineEnds = (1n << 10n) | (1n << 13n);
const classes: Record<string, bigint> = {
  d: digits,
  D: everything & ~digits,
  w: words,
  W: everything & ~words,
  s: spaces,
  S: (everything & ~spaces) | others,
};
const controls: Record<string, number> = { n: 10, r: 13, t: 9, f: 12, v: 11, 0: 0 };

/** Undefined for what it does not know: back references, looking around, flags. The pattern must be valid with the flag `u`. */
export function readRegex(source: string): RegexPart | undefined {
  let at = 0;
  try {
    const whole = readChoice();
    return at === source.length ? whole : undefined;
  } catch (error) {
    if (error instanceof NotKnown) return undefined;
    throw error;
  }

  function readChoice(): RegexPart {
    const parts = [readSequence()];
    while (source[at] === '|') {
      at += 1;
      parts.push(readSequence());
    }
    return parts.length === 1 && parts[0] ? parts[0] : { kind: 'choice', parts };
  }

  function readSequence(): RegexPart {
    const parts: RegexPart[] = [];
    while (at < source.length && source[at] !== '|' && source[at] !== ')') parts.push(readRepeated());
    return { kind: 'sequence', parts };
  }

  function readRepeated(): RegexPart {
    const part = readAtom();
    const found = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/.exec(source.slice(at, at + 30));
    if (!found) return part;
    at += found[0].length;
    const [text, least, comma, most] = found;
    if (least === undefined) {
      return { kind: 'repeat', part, min: text.startsWith('+') ? 1 : 0, max: text.startsWith('?') ? 1 : Infinity };
    }
    const min = Number(least);
    const open = comma ? Infinity : min;
    return { kind: 'repeat', part, min, max: most ? Number(most) : open };
  }

  function readAtom(): RegexPart {
    const letter = next();
    if (letter === '^') return { kind: 'start' };
    if (letter === '$') return { kind: 'assertion' };
    if (letter === '.') return { kind: 'characters', mask: everything & ~lineEnds };
    if (letter === '(') return readGroup();
    if (letter === '[') return { kind: 'characters', mask: readClass() };
    if (letter !== '\\') return { kind: 'characters', mask: bitOf(letter) };
    if (source[at] === 'b' || source[at] === 'B') {
      at += 1;
      return { kind: 'assertion' };
    }
    return { kind: 'characters', mask: readEscape().mask };
  }

  function readGroup(): RegexPart {
    const opening = /^(?:\?:|\?<[A-Za-z_$][\w$]*>)/.exec(source.slice(at, at + 100));
    if (opening) at += opening[0].length;
    else if (source[at] === '?') throw new NotKnown();
    const inside = readChoice();
    if (next() !== ')') throw new NotKnown();
    return inside;
  }

  /** After the backslash. A class such as `\d` has no code and begins no range. */
  function readEscape(): { mask: bigint; code: number | undefined } {
    const letter = next();
    const known = Object.hasOwn(classes, letter) ? classes[letter] : undefined;
    if (known !== undefined) return { mask: known, code: undefined };
    const hex = /^(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|u\{([0-9A-Fa-f]{1,6})\})/.exec(source.slice(at - 1, at + 10));
    if (hex) {
      at += hex[0].length - 1;
      return toCode(Number.parseInt(hex[1] ?? hex[2] ?? hex[3] ?? '', 16));
    }
    if (Object.hasOwn(controls, letter)) return toCode(controls[letter] ?? 0);
    const property = /^[pP]\{[^}]{1,80}\}/.exec(source.slice(at - 1, at + 90));
    if (property) {
      at += property[0].length - 1;
      return { mask: everything, code: undefined };
    }
    if (/[A-Za-z0-9]/.test(letter)) throw new NotKnown();
    return toCode(letter.codePointAt(0) ?? 0);
  }

  function readClass(): bigint {
    const isNegated = source[at] === '^';
    if (isNegated) at += 1;
    let mask = 0n;
    while (source[at] !== ']') {
      const from = readMember();
      if (source[at] === '-' && source[at + 1] !== ']' && from.code !== undefined) {
        at += 1;
        const to = readMember();
        if (to.code === undefined) throw new NotKnown();
        mask |= range(from.code, to.code);
      } else mask |= from.mask;
    }
    at += 1;
    return isNegated ? (everything & ~mask) | others : mask;
  }

  function readMember(): { mask: bigint; code: number | undefined } {
    const letter = next();
    if (letter !== '\\') return toCode(letter.codePointAt(0) ?? 0);
    if (source[at] !== 'b') return readEscape();
    at += 1;
    return toCode(8);
  }

  function next(): string {
    const letter = String.fromCodePoint(source.codePointAt(at) ?? 0);
    if (at >= source.length) throw new NotKnown();
    at += letter.length;
    return letter;
  }
}

class NotKnown extends Error {}

function toCode(code: number): { mask: bigint; code: number } {
  return { mask: code < 128 ? 1n << BigInt(code) : others, code };
}

function bitOf(letter: string): bigint {
  return toCode(letter.codePointAt(0) ?? 0).mask;
}

function range(from: number, to: number): bigint {
  let mask = to > 127 ? others : 0n;
  for (let code = from; code <= Math.min(to, 127); code += 1) mask |= 1n << BigInt(code);
  return mask;
}
