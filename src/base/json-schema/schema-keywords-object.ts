import { isRecord } from './schema-document.ts';
import type { Check, MakeRule, Rules, SchemaRun, Seen, ValuePath } from './schema-run.ts';

const noNames: readonly string[] = [];

/** Rules that say something of objects only. */
export const objectRules: Record<string, MakeRule> = {
  required(_maker, value) {
    const names = textsIn(value);
    return forObjects((given, path, run) => {
      let fits = true;
      run.spend(names.length / 8);
      for (const name of names) {
        if (!Object.hasOwn(given, name)) fits = run.report({ outer: path, key: name }, 'is required');
      }
      return fits;
    });
  },
  minProperties: (_maker, value) => count(value, (given, limit) => given >= limit, 'at least'),
  maxProperties: (_maker, value) => count(value, (given, limit) => given <= limit, 'at most'),
  dependentRequired: (_maker, value) => (isRecord(value) ? requiredWith(value) : undefined),
  dependentSchemas(maker, value) {
    const all = isRecord(value) ? Object.entries(value).map(([name, each]) => [name, maker.inside(each)] as const) : [];
    return forObjects((given, path, run, seen) => {
      let fits = true;
      run.spend(all.length / 8);
      for (const [name, rules] of all) {
        if (Object.hasOwn(given, name)) fits = run.apply(rules, given, path, seen) && fits;
      }
      return fits;
    });
  },
  /** The older word for both of the above. */
  dependencies(maker, value) {
    const entries = isRecord(value) ? Object.entries(value) : [];
    const names = Object.fromEntries(entries.filter(([, each]) => Array.isArray(each)));
    const schemas = Object.fromEntries(entries.filter(([, each]) => !Array.isArray(each)));
    const both = [requiredWith(names), objectRules.dependentSchemas?.(maker, schemas)];
    return (given, path, run, seen) => both.every((check) => !check || check(given, path, run, seen));
  },
  properties(maker, value) {
    const all = new Map(isRecord(value) ? Object.entries(value).map(([name, each]) => [name, maker.inside(each)]) : []);
    return forObjects((given, path, run, seen) => {
      let fits = true;
      const one = (name: string, rules: Rules) => {
        seen?.names.add(name);
        fits = run.apply(rules, given[name], { outer: path, key: name }, undefined) && fits;
      };
      const names = Object.keys(given);
      run.spend(Math.min(names.length, all.size) + names.length / 4);
      // Whichever list is shorter.
      if (names.length < all.size) {
        for (const name of names) {
          const rules = all.get(name);
          if (rules) one(name, rules);
        }
      } else for (const [name, rules] of all) if (Object.hasOwn(given, name)) one(name, rules);
      return fits;
    });
  },
  patternProperties(maker, value) {
    if (!isRecord(value)) return undefined;
    const all = Object.entries(value).map(([source, each]) => ({
      pattern: maker.pattern(source),
      rules: maker.inside(each),
    }));
    return forObjects((given, path, run, seen) => {
      let fits = true;
      const names = Object.keys(given);
      run.spend(all.length / 8 + names.length / 4);
      for (const { pattern, rules } of all) {
        if (!pattern) {
          run.isUnsure = true;
          if (seen) seen.hasAllNames = true;
          continue;
        }
        run.spend(names.length / 4);
        for (const name of names) {
          if (!pattern.test(name, (work) => run.spend(work / 8))) continue;
          seen?.names.add(name);
          fits = run.apply(rules, given[name], { outer: path, key: name }) && fits;
        }
      }
      return fits;
    });
  },
  additionalProperties(maker, value) {
    const { properties, patternProperties } = maker.schema;
    const named = isRecord(properties) ? properties : {};
    const patterns = (isRecord(patternProperties) ? Object.keys(patternProperties) : noNames).map((each) =>
      maker.pattern(each),
    );
    const rules = maker.inside(value);
    const isUnknown = patterns.includes(undefined);
    return forObjects((given, path, run, seen) => {
      // Without the patterns nobody knows which properties are additional.
      if (isUnknown) {
        run.isUnsure = true;
        if (seen) seen.hasAllNames = true;
        return true;
      }
      const isOther = (name: string) =>
        !Object.hasOwn(named, name) && !patterns.some((pattern) => pattern?.test(name, (work) => run.spend(work / 8)));
      run.spend(Object.keys(given).length * (patterns.length / 4));
      if (seen) seen.hasAllNames = true;
      return others({ given, path, run, rules, isRefused: value === false, isOther });
    });
  },
  propertyNames(maker, value) {
    const rules = maker.inside(value);
    return forObjects((given, path, run) => {
      let fits = true;
      for (const name of Object.keys(given)) {
        const attempt = run.try(rules, name, null, {});
        if (attempt.fits) continue;
        fits = run.report(
          { outer: path, key: name },
          `is not a name that is accepted: it ${attempt.issues[0]?.message}`,
        );
      }
      return fits;
    });
  },
};

export const lateObjectRules: Record<string, MakeRule> = {
  unevaluatedProperties(maker, value) {
    const rules = maker.inside(value);
    return forObjects((given, path, run, seen) => {
      if (!seen || seen.hasAllNames) return true;
      const isOther = (name: string) => !seen.names.has(name);
      const fits = others({ given, path, run, rules, isRefused: value === false, isOther });
      seen.hasAllNames = true;
      return fits;
    });
  },
};

interface Others {
  given: Record<string, unknown>;
  path: ValuePath | null;
  run: SchemaRun;
  rules: Rules;
  isRefused: boolean;
  isOther: (name: string) => boolean;
}

function others({ given, path, run, rules, isRefused, isOther }: Others): boolean {
  let fits = true;
  const names = Object.keys(given);
  run.spend(names.length / 4);
  for (const name of names) {
    if (!isOther(name)) continue;
    const at = { outer: path, key: name };
    fits = (isRefused ? run.report(at, 'is not known here') : run.apply(rules, given[name], at)) && fits;
  }
  return fits;
}

function requiredWith(value: Record<string, unknown>): Check {
  const all = Object.entries(value).map(([name, names]) => [name, textsIn(names)] as const);
  return forObjects((given, path, run) => {
    let fits = true;
    run.spend(all.length / 8);
    for (const [name, names] of all) {
      if (!Object.hasOwn(given, name)) continue;
      run.spend(names.length / 8);
      for (const each of names) {
        if (Object.hasOwn(given, each)) continue;
        fits = run.report({ outer: path, key: each }, () => `is required when "${name}" is given`);
      }
    }
    return fits;
  });
}

function count(limit: unknown, holds: (count: number, limit: number) => boolean, words: string): Check | undefined {
  if (typeof limit !== 'number') return undefined;
  return forObjects((given, path, run) => {
    const { length } = Object.keys(given);
    run.spend(length / 4);
    if (holds(length, limit)) return true;
    return run.report(path, `must have ${words} ${limit} ${limit === 1 ? 'property' : 'properties'}; it has ${length}`);
  });
}

type ObjectCheck = (
  given: Record<string, unknown>,
  path: ValuePath | null,
  run: SchemaRun,
  seen: Seen | undefined,
) => boolean;

function forObjects(check: ObjectCheck): Check {
  return (given, path, run, seen) => !isRecord(given) || check(given, path, run, seen);
}

function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : noNames;
}
