import { canonicalJson } from '../json.ts';
import type { Check, MakeRule, Rules, SchemaRun, Seen, ValuePath } from './schema-run.ts';

/** Rules that apply only to arrays. */
export const arrayRules: Record<string, MakeRule> = {
  minItems: (_maker, value) => count(value, (instance, limit) => instance >= limit, 'at least'),
  maxItems: (_maker, value) => count(value, (instance, limit) => instance <= limit, 'at most'),
  uniqueItems: (_maker, value) =>
    value === true
      ? forArrays((instance, path, run) => {
          const duplicates = findDuplicates(instance, run);
          if (!duplicates) return true;
          return run.report(path, `must not contain an item twice; items ${duplicates.join(' and ')} are equal`);
        })
      : undefined,
  prefixItems: (maker, value) =>
    Array.isArray(value) ? forPositions(value.map((each) => maker.inside(each))) : undefined,
  items(maker, value) {
    const { prefixItems, additionalItems } = maker.schema;
    if (!Array.isArray(value))
      return rest(maker.inside(value), Array.isArray(prefixItems) ? prefixItems.length : 0, value);
    // Before draft 2020-12, `items` could be a list, with the meaning of today's `prefixItems`.
    const first = forPositions(value.map((each) => maker.inside(each)));
    const others =
      additionalItems === undefined ? undefined : rest(maker.inside(additionalItems), value.length, additionalItems);
    return (instance, path, run, seen) => {
      const fits = first(instance, path, run, seen);
      return (!others || others(instance, path, run, seen)) && fits;
    };
  },
  contains(maker, value) {
    const rules = maker.inside(value);
    const { minContains, maxContains } = maker.schema;
    const min = typeof minContains === 'number' ? minContains : 1;
    const max = typeof maxContains === 'number' ? maxContains : Number.POSITIVE_INFINITY;
    return forArrays((instance, path, run, seen) => {
      let sure = 0;
      let maybe = 0;
      for (const [index, item] of instance.entries()) {
        const { fits, isUnsure } = run.try(rules, item, path, { isMute: true });
        if (!fits) continue;
        seen?.indexes.add(index);
        if (isUnsure) maybe += 1;
        else sure += 1;
      }
      const words = 'matching "contains"';
      if (sure + maybe < min) return run.report(path, `must have at least ${items(min)} ${words}; it has ${sure}`);
      return sure <= max || run.report(path, `must have at most ${items(max)} ${words}; it has ${sure}`);
    });
  },
};

export const lateArrayRules: Record<string, MakeRule> = {
  unevaluatedItems(maker, value) {
    const rules = maker.inside(value);
    return forArrays((instance, path, run, seen) => {
      if (!seen) return true;
      let fits = true;
      run.spend(Math.max(0, instance.length - seen.items) / 8);
      for (let index = seen.items; index < instance.length; index += 1) {
        if (!seen.indexes.has(index)) fits = one(rules, value, { instance, index, path, run }) && fits;
      }
      seen.items = Number.POSITIVE_INFINITY;
      return fits;
    });
  },
};

function forPositions(all: readonly Rules[]): Check {
  return forArrays((instance, path, run, seen) => {
    let fits = true;
    for (const [index, rules] of all.slice(0, instance.length).entries()) {
      fits = run.apply(rules, instance[index], { outer: path, key: index }) && fits;
    }
    if (seen) seen.items = Math.max(seen.items, all.length);
    return fits;
  });
}

function rest(rules: Rules, from: number, schema: unknown): Check {
  return forArrays((instance, path, run, seen) => {
    let fits = true;
    run.spend(Math.max(0, instance.length - from) / 8);
    for (let index = from; index < instance.length; index += 1) {
      fits = one(rules, schema, { instance, index, path, run }) && fits;
      if (!fits && run.issues === null) break;
    }
    if (seen) seen.items = Number.POSITIVE_INFINITY;
    return fits;
  });
}

interface ItemOf {
  instance: readonly unknown[];
  index: number;
  path: ValuePath | null;
  run: SchemaRun;
}

function one(rules: Rules, schema: unknown, { instance, index, path, run }: ItemOf): boolean {
  const at = { outer: path, key: index };
  if (schema !== false) return run.apply(rules, instance[index], at);
  return run.report(at, () => `is one item too many; at most ${items(index)} ${index === 1 ? 'is' : 'are'} accepted`);
}

function findDuplicates(list: readonly unknown[], run: SchemaRun): [number, number] | undefined {
  const seen = new Map<string, number>();
  for (const [index, item] of list.entries()) {
    const text = canonicalJson(item);
    run.spend(1 + text.length / 16);
    const first = seen.get(text);
    if (first !== undefined) return [first, index];
    seen.set(text, index);
  }
  return undefined;
}

function count(limit: unknown, holds: (count: number, limit: number) => boolean, words: string): Check | undefined {
  if (typeof limit !== 'number') return undefined;
  return forArrays(
    (instance, path, run) =>
      holds(instance.length, limit) ||
      run.report(path, `must have ${words} ${items(limit)}; it has ${instance.length}`),
  );
}

type ArrayCheck = (
  instance: readonly unknown[],
  path: ValuePath | null,
  run: SchemaRun,
  seen: Seen | undefined,
) => boolean;

function forArrays(check: ArrayCheck): Check {
  return (instance, path, run, seen) => !Array.isArray(instance) || check(instance, path, run, seen);
}

function items(count: number): string {
  return `${count} ${count === 1 ? 'item' : 'items'}`;
}
