import { type RegexPart, readRegex } from './regex-parts.ts';

const longestPattern = 500;
/** Characters of the pattern once its counts are written out. */
const mostPlaces = 500;
/** Where the search begins anew at each character of the text. */
const mostUnanchoredPlaces = 100;
const mostWays = 1_000;

/**
 * Whether a pattern from outside can be tried on any text in time that grows no faster than the text. What cannot be
 * proved counts as unsafe: back references, looking around, and repetitions in which one character fits two places.
 */
export function isSafePattern(source: string): boolean {
  if (source.length > longestPattern) return false;
  try {
    new RegExp(source, 'u');
  } catch {
    return false;
  }
  const whole = readRegex(source);
  if (!whole) return false;
  const places = countPlaces(whole);
  if (places > mostPlaces) return false;
  if (!hasLoop(whole)) {
    const isShort = startsAnchored(whole) || places <= mostUnanchoredPlaces;
    return isShort && (countWays(whole) <= mostWays || isUnambiguous(whole));
  }
  if (!startsAnchored(whole) && !(endsWithItsLoop(whole) && places <= mostUnanchoredPlaces)) return false;
  return isUnambiguous(whole);
}

function hasLoop(part: RegexPart): boolean {
  if (part.kind === 'repeat') return part.max === Infinity || hasLoop(part.part);
  return 'parts' in part && part.parts.some(hasLoop);
}

function startsAnchored(part: RegexPart): boolean {
  if (part.kind === 'choice') return part.parts.every(startsAnchored);
  if (part.kind === 'sequence') return part.parts[0] !== undefined && startsAnchored(part.parts[0]);
  return part.kind === 'start';
}

/** Whoever comes to the loop has matched: nothing is tried in vain for the length of the text. */
function endsWithItsLoop(part: RegexPart): boolean {
  if (part.kind !== 'sequence') return false;
  const last = part.parts.at(-1);
  return last?.kind === 'repeat' && !hasLoop(last.part) && !part.parts.slice(0, -1).some(hasLoop);
}

function countPlaces(part: RegexPart): number {
  if (part.kind === 'repeat') return countPlaces(part.part) * (part.max === Infinity ? part.min + 1 : part.max);
  if ('parts' in part) return part.parts.reduce((sum, each) => sum + countPlaces(each), 0);
  return 1;
}

/** In how many ways it can be gone through; each is tried at worst. */
function countWays(part: RegexPart): number {
  if (part.kind === 'choice') return part.parts.reduce((sum, each) => sum + countWays(each), 0);
  if (part.kind === 'sequence') return part.parts.reduce((product, each) => product * countWays(each), 1);
  if (part.kind !== 'repeat') return 1;
  const ways = countWays(part.part);
  let sum = 0;
  for (let count = part.min; count <= part.max; count += 1) sum += ways ** count;
  return sum;
}

interface Ends {
  first: number[];
  last: number[];
  isNullable: boolean;
}

class Ambiguous extends Error {}

/**
 * At each place the next character decides where to go on (Glushkov's automaton is deterministic, and no step is there
 * twice), so that a matcher that goes back finds nothing else to try.
 */
function isUnambiguous(whole: RegexPart): boolean {
  const masks: bigint[] = [];
  const follow: Set<number>[] = [];
  try {
    const { first } = build(whole);
    return [first, ...follow.map((each) => [...each])].every((places) => areDisjoint(places, masks));
  } catch (error) {
    if (error instanceof Ambiguous) return false;
    throw error;
  }

  function build(part: RegexPart): Ends {
    switch (part.kind) {
      case 'characters': {
        const place = masks.push(part.mask) - 1;
        follow.push(new Set());
        return { first: [place], last: [place], isNullable: false };
      }
      case 'start':
      case 'assertion':
        return { first: [], last: [], isNullable: true };
      case 'sequence':
        return part.parts.map(build).reduce(join, { first: [], last: [], isNullable: true });
      case 'choice':
        return choose(part.parts.map(build));
      case 'repeat':
        return repeat(part);
    }
  }

  function repeat({ part, min, max }: Extract<RegexPart, { kind: 'repeat' }>): Ends {
    let ends: Ends = { first: [], last: [], isNullable: true };
    if (max === 0) return ends;
    const isLoop = max === Infinity;
    const one = () => notEmpty(build(part), min === 1 && max === 1);
    if (isLoop) ends = { ...loop(one()), isNullable: min === 0 };
    // `x{2,4}` is `xx(x(x)?)?`: written so, one more and no more are told apart by the next character.
    else for (let count = max; count > min; count -= 1) ends = { ...join(one(), ends), isNullable: true };
    for (let count = isLoop ? min - 1 : min; count > 0; count -= 1) ends = join(one(), ends);
    return ends;
  }

  function loop(ends: Ends): Ends {
    for (const place of ends.last) for (const next of ends.first) link(place, next);
    return ends;
  }

  function join(one: Ends, other: Ends): Ends {
    for (const place of one.last) for (const next of other.first) link(place, next);
    return {
      first: one.isNullable ? [...one.first, ...other.first] : one.first,
      last: other.isNullable ? [...one.last, ...other.last] : other.last,
      isNullable: one.isNullable && other.isNullable,
    };
  }

  function link(place: number, next: number): void {
    const known = follow[place];
    if (known?.has(next)) throw new Ambiguous();
    known?.add(next);
  }
}

function choose(branches: Ends[]): Ends {
  if (branches.filter(({ isNullable }) => isNullable).length > 1) throw new Ambiguous();
  return {
    first: branches.flatMap(({ first }) => first),
    last: branches.flatMap(({ last }) => last),
    isNullable: branches.some(({ isNullable }) => isNullable),
  };
}

/** Nothing, several times over, could be had in several ways. */
function notEmpty(ends: Ends, isOnce: boolean): Ends {
  if (ends.isNullable && !isOnce) throw new Ambiguous();
  return ends;
}

function areDisjoint(places: readonly number[], masks: readonly bigint[]): boolean {
  let taken = 0n;
  for (const place of places) {
    const mask = masks[place] ?? 0n;
    if ((taken & mask) !== 0n) return false;
    taken |= mask;
  }
  return true;
}
