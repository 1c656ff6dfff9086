import { isRecord } from '../is-record.ts';
import { canonicalJson } from '../json.ts';
import { describeFormat, fitsFormat, isKnownFormat } from './schema-formats.ts';
import { arrayRules, lateArrayRules } from './schema-keywords-array.ts';
import { lateObjectRules, objectRules } from './schema-keywords-object.ts';
import type { Attempt, Check, MakeRule, SchemaRun, ValuePath } from './schema-run.ts';

const typeNames: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  null: 'null',
};

const valueRules: Record<string, MakeRule> = {
  type(_maker, value) {
    const named = [value].flat().filter((type): type is string => Object.hasOwn(typeNames, String(type)));
    const types = [...new Set(named)];
    if (types.length === 0) return undefined;
    const expected = types.map((type) => typeNames[type]).join(' or ');
    return (instance, path, run) =>
      types.some((type) => isOfType(instance, type)) ||
      run.report(path, () => `must be ${expected}, not ${describe(instance)}`);
  },
  const(_maker, value) {
    const expected = canonicalJson(value);
    const words = once(() => `must be ${shorten(JSON.stringify(value))}`);
    return (instance, path, run) => textOf(instance, run) === expected || run.report(path, words);
  },
  enum(_maker, value) {
    if (!Array.isArray(value)) return undefined;
    const expected = new Set(value.map(canonicalJson));
    const words = once(() => `must be one of ${list(value)}`);
    return (instance, path, run) => expected.has(textOf(instance, run)) || run.report(path, words);
  },
  minLength: (_maker, value) => length(value, (count, limit) => count >= limit, 'at least'),
  maxLength: (_maker, value) => length(value, (count, limit) => count <= limit, 'at most'),
  pattern(maker, value) {
    if (typeof value !== 'string') return undefined;
    const pattern = maker.pattern(value);
    return (instance, path, run) => {
      if (typeof instance !== 'string') return true;
      if (!pattern) return skipRule(run);
      return pattern.test(instance, spender(run)) || run.report(path, `must match the pattern ${shorten(value)}`);
    };
  },
  format(_maker, value) {
    if (typeof value !== 'string' || !isKnownFormat(value)) return undefined;
    return (instance, path, run) => {
      if (typeof instance !== 'string') return true;
      run.spend(instance.length / 16);
      return fitsFormat(value, instance) || run.report(path, `must be ${describeFormat(value)} (format "${value}")`);
    };
  },
  minimum: (_maker, value) => number(value, (instance, limit) => instance >= limit, 'must be at least'),
  maximum: (_maker, value) => number(value, (instance, limit) => instance <= limit, 'must be at most'),
  exclusiveMinimum: (_maker, value) => number(value, (instance, limit) => instance > limit, 'must be more than'),
  exclusiveMaximum: (_maker, value) => number(value, (instance, limit) => instance < limit, 'must be less than'),
  multipleOf(_maker, value) {
    const check = Number(value) > 0 ? number(value, isMultipleOf, 'must be a multiple of') : undefined;
    if (!check) return undefined;
    return (instance, path, run, seen) => {
      // Dividing decimals exactly takes longer than other rules.
      run.spend(8);
      return check(instance, path, run, seen);
    };
  },
};

const combiningRules: Record<string, MakeRule> = {
  $ref(maker, value) {
    if (typeof value !== 'string') return undefined;
    const found = maker.referred(value);
    return found
      ? (instance, path, run, seen) => run.apply(found.rules, instance, path, seen)
      : (_1, _2, run) => skipRule(run);
  },
  $dynamicRef(maker, value) {
    if (typeof value !== 'string') return undefined;
    const found = maker.referred(value);
    if (!found) return (_given, _place, run) => skipRule(run);
    const { rules, dynamicName: name } = found;
    if (name === undefined) return (instance, path, run, seen) => run.apply(rules, instance, path, seen);
    return (instance, path, run, seen) => {
      run.spend(run.scope.length / 8);
      const outermost = run.scope.find((resource) => resource.dynamicAnchors.has(name));
      return run.apply((outermost && maker.anchored(outermost, name)) ?? rules, instance, path, seen);
    };
  },
  allOf(maker, value) {
    if (!Array.isArray(value)) return undefined;
    const all = value.map((each) => maker.inside(each));
    return (instance, path, run, seen) => {
      let fits = true;
      for (const rules of all) {
        if (run.apply(rules, instance, path, seen)) continue;
        fits = false;
        if (run.issues === null) break;
      }
      return fits;
    };
  },
  anyOf(maker, value) {
    if (!Array.isArray(value) || value.length === 0) return undefined;
    const all = value.map((each) => maker.inside(each));
    return (instance, path, run, seen) => {
      const failed: Attempt[] = [];
      for (const rules of all) {
        const attempt = run.try(rules, instance, path, { seen });
        // With `seen`, every alternative is tried, because each may evaluate other properties and items.
        if (attempt.fits && !seen) return true;
        if (!attempt.fits) failed.push(attempt);
      }
      return failed.length < all.length || noneFits(failed, path, run);
    };
  },
  oneOf(maker, value) {
    if (!Array.isArray(value) || value.length === 0) return undefined;
    const all = value.map((each) => maker.inside(each));
    return (instance, path, run, seen) => {
      const attempts = all.map((rules) => run.try(rules, instance, path, { seen }));
      const fitting = attempts.flatMap((attempt, index) => (attempt.fits ? [{ ...attempt, index }] : []));
      if (fitting.length === 0) return noneFits(attempts, path, run);
      // The unsure ones may turn out not to fit.
      const sure = fitting.filter(({ isUnsure }) => !isUnsure);
      if (sure.length <= 1) return true;
      const which = sure.slice(0, 5).map(({ index }) => index + 1);
      return run.report(path, `must fit exactly one of ${all.length} alternatives, but fits ${which.join(' and ')}`);
    };
  },
  not(maker, value) {
    const rules = maker.inside(value);
    return (instance, path, run) => {
      const { fits, isUnsure } = run.try(rules, instance, path, { isMute: true });
      return !fits || isUnsure || run.report(path, 'must not fit the schema of "not"');
    };
  },
  if(maker, value) {
    const condition = maker.inside(value);
    const branch = (key: 'then' | 'else') =>
      Object.hasOwn(maker.schema, key) ? maker.inside(maker.schema[key]) : undefined;
    const [then, otherwise] = [branch('then'), branch('else')];
    return (instance, path, run, seen) => {
      const { fits, isUnsure } = run.try(condition, instance, path, { seen, isMute: true });
      if (isUnsure) {
        if (seen) Object.assign(seen, { hasAllNames: true, items: Number.POSITIVE_INFINITY });
        return skipRule(run);
      }
      const rules = fits ? then : otherwise;
      return !rules || run.apply(rules, instance, path, seen);
    };
  },
};

/** In the order in which issues are reported. */
export const keywordRules: Record<string, MakeRule> = {
  ...valueRules,
  ...combiningRules,
  ...objectRules,
  ...arrayRules,
};
export const lateRules: Record<string, MakeRule> = { ...lateObjectRules, ...lateArrayRules };

/** Lets the value pass a rule that cannot be checked. */
function skipRule(run: SchemaRun): true {
  run.isUnsure = true;
  return true;
}

/** Visiting one state of a pattern costs a fraction of applying a rule. */
function spender(run: SchemaRun): (work: number) => void {
  return (work) => run.spend(work / 8);
}

/** Reports the first issue of the alternative that came closest. */
function noneFits(attempts: readonly Attempt[], path: ValuePath | null, run: SchemaRun): false {
  if (run.issues === null) return false;
  if (attempts.length === 1) {
    run.spend((attempts[0]?.issues.length ?? 0) / 8);
    run.adopt(attempts[0]?.issues ?? []);
    return false;
  }
  const depthOf = ({ issues }: Attempt) => {
    run.spend(issues.reduce((sum, { path }) => sum + 1 + path.length / 16, 0) / 4);
    return Math.max(0, ...issues.map(({ path }) => (path === '' ? 0 : path.split('.').length)));
  };
  const [nearest] = attempts
    .map((attempt) => ({ attempt, depth: depthOf(attempt) }))
    .toSorted((one, other) => other.depth - one.depth || one.attempt.issues.length - other.attempt.issues.length);
  const closest = nearest?.attempt;
  const [first] = closest?.issues ?? [];
  const why = first ? `; the closest needs: ${first.path === '' ? '' : `${first.path} `}${first.message}` : '';
  return run.report(path, `must fit one of ${attempts.length} alternatives${why}`);
}

export function isOfType(value: unknown, type: string): boolean {
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isRecord(value);
  if (type === 'null') return value === null;
  if (type === 'integer') return Number.isInteger(value);
  return type === typeof value;
}

/** `a whole number`, for messages. */
export function describeType(type: string): string {
  return typeNames[type] ?? type;
}

function describe(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'a whole number' : 'a number';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

function length(limit: unknown, holds: (count: number, limit: number) => boolean, words: string): Check | undefined {
  if (typeof limit !== 'number') return undefined;
  return (instance, path, run) => {
    if (typeof instance !== 'string') return true;
    run.spend(instance.length / 64);
    const count = characters(instance);
    if (holds(count, limit)) return true;
    return run.report(path, `must have ${words} ${limit} ${limit === 1 ? 'character' : 'characters'}; it has ${count}`);
  };
}

/** Counts code points, not UTF-16 units. */
function characters(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

function number(limit: unknown, holds: (instance: number, limit: number) => boolean, words: string): Check | undefined {
  if (typeof limit !== 'number') return undefined;
  return (instance, path, run) =>
    typeof instance !== 'number' || holds(instance, limit) || run.report(path, `${words} ${limit}`);
}

function textOf(value: unknown, run: SchemaRun): string {
  const text = canonicalJson(value);
  run.spend(text.length / 16);
  return text;
}

/** Composes a message that may be long on first use, and only once. */
function once(compose: () => string): () => string {
  let words: string | undefined;
  return () => {
    words ??= compose();
    return words;
  };
}

function list(values: readonly unknown[]): string {
  const shown = values.slice(0, 20).map((value) => JSON.stringify(value));
  return shorten([...shown, ...(values.length > 20 ? ['…'] : [])].join(', '));
}

function shorten(text: string | undefined): string {
  return text === undefined ? 'nothing' : text.length > 300 ? `${text.slice(0, 300)}…` : text;
}

/** Compares the numbers as decimals: 0.3 is a multiple of 0.1. */
function isMultipleOf(value: number, divisor: number): boolean {
  if (Number.isInteger(value) && Number.isInteger(divisor)) return value % divisor === 0;
  if (!Number.isFinite(value) || !(divisor > 0)) return false;
  const [digits, exponent] = decimal(value);
  const [other, otherExponent] = decimal(divisor);
  const minExponent = Math.min(exponent, otherExponent);
  return (digits * 10n ** BigInt(exponent - minExponent)) % (other * 10n ** BigInt(otherExponent - minExponent)) === 0n;
}

/** Returns the digits and the exponent of the shortest decimal for the number. */
function decimal(value: number): [digits: bigint, exponent: number] {
  const [, whole = '0', fraction = '', exponent = '0'] =
    /^(-?\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value)) ?? [];
  return [BigInt(whole + fraction), Number(exponent) - fraction.length];
}
