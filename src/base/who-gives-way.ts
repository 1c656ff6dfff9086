/**
 * Returns the caller who gives up one of the taken places to a newcomer: the one with the most, if the newcomer then still has fewer.
 * So one caller can have all places, but cannot keep others out.
 */
export function whoGivesWay(newcomer: string, holders: Iterable<string>): string | undefined {
  const counts = new Map<string, number>();
  for (const each of holders) counts.set(each, (counts.get(each) ?? 0) + 1);
  const [most, count] = [...counts].reduce((one, other) => (other[1] > one[1] ? other : one), [newcomer, 0]);
  return count > (counts.get(newcomer) ?? 0) + 1 ? most : undefined;
}

/** Returns the first of the places that are taken, with their holders, whose holder gives way to a newcomer. */
export function placeToGive<T>(newcomer: string, taken: Iterable<readonly [place: T, holder: string]>): T | undefined {
  const all = [...taken];
  const most = whoGivesWay(
    newcomer,
    all.map(([, holder]) => holder),
  );
  return all.find(([, holder]) => holder === most)?.[0];
}
