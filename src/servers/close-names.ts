export interface OwnedName {
  server: string;
  tool: string;
}

/** Shorter names are one letter away from too many others. */
const leastForEdits = 5;
/** More than a person reads. */
const mostNamed = 20;

/**
 * For each tool the tools of other servers whose names can be taken for its own: alike but for case, `_`, `-` and `.`, or one
 * letter apart. Takes time in proportion to the letters of all names.
 */
export function findCloseNames(names: readonly OwnedName[]): (name: OwnedName) => OwnedName[] {
  const byKey = new Map<string, OwnedName[]>();
  const keysByRest = new Map<string, Set<string>>();
  for (const name of names) {
    const key = keyOf(name.tool);
    const same = byKey.get(key);
    if (same) same.push(name);
    else {
      byKey.set(key, [name]);
      for (const rest of restsOf(key)) {
        const keys = keysByRest.get(rest);
        if (keys) keys.add(key);
        else keysByRest.set(rest, new Set([key]));
      }
    }
  }
  return ({ server, tool }) => {
    const key = keyOf(tool);
    const near = new Set([key]);
    for (const rest of restsOf(key))
      for (const other of keysByRest.get(rest) ?? []) if (isOneEdit(key, other)) near.add(other);
    const found = [...near].flatMap((each) => byKey.get(each) ?? []).filter((each) => each.server !== server);
    return found.slice(0, mostNamed);
  };
}

function keyOf(name: string): string {
  return name.toLowerCase().replace(/[_.-]/g, '');
}

/** The key, and the key without each one of its letters: two that are one edit apart share one of them. */
function restsOf(key: string): string[] {
  if (key.length < leastForEdits || key.length > 128) return [];
  return [key, ...Array.from(key, (_letter, index) => key.slice(0, index) + key.slice(index + 1))];
}

function isOneEdit(one: string, other: string): boolean {
  if (one.length < leastForEdits || other.length < leastForEdits || Math.abs(one.length - other.length) > 1)
    return false;
  let start = 0;
  while (start < one.length && one[start] === other[start]) start += 1;
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  return short.length === long.length
    ? one.slice(start + 1) === other.slice(start + 1)
    : short.slice(start) === long.slice(start + 1);
}
