/** Returns the name that the user most likely meant, or undefined if none is close. */
export function nearest(typed: string, names: readonly string[]): string | undefined {
  const wanted = typed.toLowerCase().slice(0, 64);
  let best: { name: string; distance: number } | undefined;
  for (const name of names) {
    const candidate = name.toLowerCase();
    const isPart = wanted.length >= 3 && candidate.includes(wanted);
    const distance = isPart ? 1 : editDistance(wanted, candidate.slice(0, 64));
    const maxDistance = isPart ? 1 : Math.min(3, Math.floor(Math.max(wanted.length, candidate.length) / 3));
    if (distance <= maxDistance && distance < (best?.distance ?? Number.POSITIVE_INFINITY)) best = { name, distance };
  }
  return best?.name;
}

/** Counts insertions, deletions, replacements and swaps of adjacent characters. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const replace = (last[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      let distance = Math.min((last[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, replace);
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        distance = Math.min(distance, (beforeLast[column - 2] ?? 0) + 1);
      }
      current.push(distance);
    }
    beforeLast = last;
    last = current;
  }
  return last[b.length] ?? 0;
}
