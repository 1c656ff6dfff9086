import { isRecord } from '../is-record.ts';
import type { Check, MakeRule, Rules, SchemaRun, Seen, ValuePath } from './schema-run.ts';

const noNames: readonly string[] = [];

/** Rules that apply only to objects. */
export const objectRules: Record<string, MakeRule> = {
  required(_maker, value) {
    const names = textsIn(value);
    return forObjects((instance, path, run) => {
      let fits = true;
      run.spend(names.length / 8);
      for (const name of names) {
        if (!Object.hasOwn(instance, name)) fits = run.report({ outer: path, key: name }, 'is required');
      }
      return fits;
    });
  },
  minProperties: (_maker, value) => count(value, (instance, limit) => instance >= limit, 'at least'),
  maxProperties: (_maker, value) => count(value, (instance, limit) => instance <= limit, 'at most'),
  dependentRequired: (_maker, value) => (isRecord(value) ? requiredWith(value) : undefined),
  dependentSchemas(maker, value) {
    const all = isRecord(value) ? Object.entries(value).map(([name, each]) => [name, maker.inside(each)] as const) : [];
    return forObjects((instance, path, run, seen) => {
      let fits = true;
      run.spend(all.length / 8);
      for (const [name, rules] of all) {
        if (Object.hasOwn(instance, name)) fits = run.apply(rules, instance, path, seen) && fits;
      }
      return fits;
    });
  },
  /** The older keyword for both of the above. */
  dependencies(maker, value) {
    const entries = isRecord(value) ? Object.entries(value) : [];
    const names = Object.fromEntries(entries.filter(([, each]) => Array.isArray(each)));
    const schemas = Object.fromEntries(entries.filter(([, each]) => !Array.isArray(each)));
    const both = [requiredWith(names), objectRules.dependentSchemas?.(maker, schemas)];
    return (instance, path, run, seen) => both.every((check) => !check || check(instance, path, run, seen));
  },
  properties(maker, value) {
    const all = new Map(isRecord(value) ? Object.entries(value).map(([name, each]) => [name, maker.inside(each)]) : []);
    return forObjects((instance, path, run, seen) => {
      let fits = true;
      const one = (name: string, rules: Rules) => {
        seen?.names.add(name);
        fits = run.apply(rules, instance[name], { outer: path, key: name }, undefined) && fits;
      };
      const names = Object.keys(instance);
      run.spend(Math.min(names.length, all.size) + names.length / 4);
      // Goes through the shorter list.
      if (names.length < all.size) {
        for (const name of names) {
          const rules = all.get(name);
          if (rules) one(name, rules);
        }
      } else for (const [name, rules] of all) if (Object.hasOwn(instance, name)) one(name, rules);
      return fits;
    });
  },
  patternProperties(maker, value) {
    if (!isRecord(value)) return undefined;
    const all = Object.entries(value).map(([source, each]) => ({
      pattern: maker.pattern(source),
      rules: maker.inside(each),
    }));
    return forObjects((instance, path, run, seen) => {
      let fits = true;
      const names = Object.keys(instance);
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
          fits = run.apply(rules, instance[name], { outer: path, key: name }) && fits;
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
    return forObjects((instance, path, run, seen) => {
      // Without the patterns, it is unknown which properties are additional.
      if (isUnknown) {
        run.isUnsure = true;
        if (seen) seen.hasAllNames = true;
        return true;
      }
      const isOther = (name: string) =>
        !Object.hasOwn(named, name) && !patterns.some((pattern) => pattern?.test(name, (work) => run.spend(work / 8)));
      run.spend(Object.keys(instance).length * (patterns.length / 4));
      if (seen) seen.hasAllNames = true;
      return others({ instance, path, run, rules, isRefused: value === false, isOther });
    });
  },
  propertyNames(maker, value) {
    const rules = maker.inside(value);
    return forObjects((instance, path, run) => {
      let fits = true;
      for (const name of Object.keys(instance)) {
        const attempt = run.try(rules, name, null, {});
        if (attempt.fits) continue;
        fits = run.report({ outer: path, key: name }, `is not an accepted name: it ${attempt.issues[0]?.message}`);
      }
      return fits;
    });
  },
};

export const lateObjectRules: Record<string, MakeRule> = {
  unevaluatedProperties(maker, value) {
    const rules = maker.inside(value);
    return forObjects((instance, path, run, seen) => {
      if (!seen || seen.hasAllNames) return true;
      const isOther = (name: string) => !seen.names.has(name);
      const fits = others({ instance, path, run, rules, isRefused: value === false, isOther });
      seen.hasAllNames = true;
      return fits;
    });
  },
};

interface Others {
  instance: Record<string, unknown>;
  path: ValuePath | null;
  run: SchemaRun;
  rules: Rules;
  isRefused: boolean;
  isOther: (name: string) => boolean;
}

function others({ instance, path, run, rules, isRefused, isOther }: Others): boolean {
  let fits = true;
  const names = Object.keys(instance);
  run.spend(names.length / 4);
  for (const name of names) {
    if (!isOther(name)) continue;
    const at = { outer: path, key: name };
    fits = (isRefused ? run.report(at, 'is not a known property') : run.apply(rules, instance[name], at)) && fits;
  }
  return fits;
}

function requiredWith(value: Record<string, unknown>): Check {
  const all = Object.entries(value).map(([name, names]) => [name, textsIn(names)] as const);
  return forObjects((instance, path, run) => {
    let fits = true;
    run.spend(all.length / 8);
    for (const [name, names] of all) {
      if (!Object.hasOwn(instance, name)) continue;
      run.spend(names.length / 8);
      for (const each of names) {
        if (Object.hasOwn(instance, each)) continue;
        fits = run.report({ outer: path, key: each }, () => `is required when "${name}" is given`);
      }
    }
    return fits;
  });
}

function count(limit: unknown, holds: (count: number, limit: number) => boolean, words: string): Check | undefined {
  if (typeof limit !== 'number') return undefined;
  return forObjects((instance, path, run) => {
    const { length } = Object.keys(instance);
    run.spend(length / 4);
    if (holds(length, limit)) return true;
    return run.report(path, `must have ${words} ${limit} ${limit === 1 ? 'property' : 'properties'}; it has ${length}`);
  });
}

type ObjectCheck = (
  instance: Record<string, unknown>,
  path: ValuePath | null,
  run: SchemaRun,
  seen: Seen | undefined,
) => boolean;

function forObjects(check: ObjectCheck): Check {
  return (instance, path, run, seen) => !isRecord(instance) || check(instance, path, run, seen);
}

function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : noNames;
}
