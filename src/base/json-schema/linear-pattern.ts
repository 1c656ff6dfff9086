import { type Assertion, type CharacterSet, PatternFault, type PatternPart, readPattern } from './read-pattern.ts';

/** The limit for the steps of a pattern, with its repetitions written out. */
const maxSteps = 10_000;
/** The cost of checking one Unicode property of a character, relative to visiting one state. */
const propertyWork = 4;

type Step =
  | { op: 'character'; set: CharacterSet }
  | { op: 'split'; to: number[] }
  | { op: 'jump'; to: number }
  | { op: 'assertion'; assertion: Assertion }
  | { op: 'match' };

/**
 * A regular expression that is matched by following all of its states at once. The time is at most proportional to the length of the
 * text times the length of the pattern. It only tests whether a text matches; it captures nothing.
 */
export class LinearPattern {
  readonly source: string;
  readonly #steps: Step[] = [];
  readonly #isAnchored: boolean;
  /** When each step was last reached. The count continues from text to text, so that the list need not be cleared. */
  #reached = new Int32Array(0);
  #moment = 0;

  /** Throws a PatternFault for a pattern that is invalid or that no linear matcher can run. */
  constructor(source: string) {
    this.source = source;
    const whole = readPattern(source);
    this.#isAnchored = startsAnchored(whole);
    this.#write(whole);
    this.#add({ op: 'match' });
  }

  /** Calls `spend` with the work done at each character; it may throw to stop the test. */
  test(text: string, spend: (work: number) => void = () => {}): boolean {
    const steps = this.#steps;
    let current: number[] = [];
    let following: number[] = [];
    const reached = this.#cleared(text.length);
    const base = this.#moment;
    this.#moment += text.length + 1;
    const stack: number[] = [];
    let hasMatched = false;
    let visited = 0;
    const follow = (start: number, at: number, list: number[]): void => {
      stack.push(start);
      for (let index = stack.pop(); index !== undefined; index = stack.pop()) {
        if (reached[index] === base + at) continue;
        reached[index] = base + at;
        visited += 1;
        const step = steps[index];
        if (step?.op === 'character') list.push(index);
        else if (step?.op === 'jump') stack.push(step.to);
        else if (step?.op === 'split') stack.push(...step.to);
        else if (step?.op === 'match') hasMatched = true;
        else if (step && holds(step.assertion, text, at)) stack.push(index + 1);
      }
    };
    for (let at = 0; ; ) {
      // A match may begin anywhere.
      if (at === 0 || !this.#isAnchored) follow(0, at, current);
      spend(visited);
      visited = 0;
      if (hasMatched) return true;
      if (current.length === 0 && this.#isAnchored) return false;
      const code = text.codePointAt(at);
      if (code === undefined) return false;
      const next = at + (code > 0xffff ? 2 : 1);
      for (const index of current) {
        const step = steps[index];
        if (step?.op !== 'character') continue;
        visited += step.set.properties.length * propertyWork;
        if (contains(step.set, code)) follow(index + 1, next, following);
      }
      if (hasMatched) return true;
      [current, following] = [following, current];
      following.length = 0;
      at = next;
    }
  }

  #cleared(length: number): Int32Array {
    if (this.#reached.length === 0) this.#reached = new Int32Array(this.#steps.length).fill(-1);
    if (this.#moment + length >= 2 ** 31 - 2) {
      this.#reached.fill(-1);
      this.#moment = 0;
    }
    return this.#reached;
  }

  #add(step: Step): number {
    if (this.#steps.length >= maxSteps) throw new PatternFault(`repeats its parts more than ${maxSteps} times in all`);
    return this.#steps.push(step) - 1;
  }

  #write(part: PatternPart): void {
    switch (part.kind) {
      case 'character':
        this.#add({ op: 'character', set: part.set });
        return;
      case 'assertion':
        this.#add({ op: 'assertion', assertion: part.assertion });
        return;
      case 'sequence':
        for (const each of part.parts) this.#write(each);
        return;
      case 'choice': {
        const to: number[] = [];
        this.#add({ op: 'split', to });
        const ends = part.parts.map((each) => {
          to.push(this.#steps.length);
          this.#write(each);
          const jump: Step = { op: 'jump', to: 0 };
          this.#add(jump);
          return jump;
        });
        for (const jump of ends) jump.to = this.#steps.length;
        return;
      }
      case 'repeat':
        this.#writeRepeat(part);
    }
  }

  #writeRepeat({ part, min, max }: Extract<PatternPart, { kind: 'repeat' }>): void {
    // A part without steps means the same however often it is repeated.
    const before = this.#steps.length;
    for (let count = 0; count < min; count += 1) {
      this.#write(part);
      if (this.#steps.length === before) return;
    }
    if (max === Infinity) {
      const to: number[] = [];
      const loop = this.#add({ op: 'split', to });
      to.push(this.#steps.length);
      this.#write(part);
      this.#add({ op: 'jump', to: loop });
      to.push(this.#steps.length);
      return;
    }
    const exits: number[][] = [];
    for (let count = min; count < max; count += 1) {
      const to: number[] = [];
      this.#add({ op: 'split', to });
      exits.push(to);
      to.push(this.#steps.length);
      this.#write(part);
    }
    for (const to of exits) to.push(this.#steps.length);
  }
}

function startsAnchored(part: PatternPart): boolean {
  if (part.kind === 'choice') return part.parts.every(startsAnchored);
  if (part.kind === 'sequence') return part.parts[0] !== undefined && startsAnchored(part.parts[0]);
  return part.kind === 'assertion' && part.assertion === 'start';
}

function contains({ ranges, properties, isNegated }: CharacterSet, code: number): boolean {
  if (isIn(ranges, code)) return !isNegated;
  if (properties.length === 0) return isNegated;
  const letter = String.fromCodePoint(code);
  return properties.some((property) => property.test(letter)) !== isNegated;
}

/** Searches the sorted pairs by bisection. */
function isIn(ranges: readonly number[], code: number): boolean {
  let low = 0;
  let high = ranges.length / 2 - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    if (code < (ranges[2 * middle] ?? 0)) high = middle - 1;
    else if (code > (ranges[2 * middle + 1] ?? 0)) low = middle + 1;
    else return true;
  }
  return false;
}

function holds(assertion: Assertion, text: string, at: number): boolean {
  if (assertion === 'start') return at === 0;
  if (assertion === 'end') return at === text.length;
  const isBoundary = isWord(text.charCodeAt(at - 1)) !== isWord(text.charCodeAt(at));
  return isBoundary === (assertion === 'boundary');
}

/** Returns false for NaN, which stands for a position outside the text. */
function isWord(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || code === 95 || (code >= 97 && code <= 122);
}
