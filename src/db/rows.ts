/** Returns a text that both databases store alike: PostgreSQL rejects NUL, and half a character cannot be written as UTF-8. */
export function cleanText(text: string): string {
  return (text.includes('\0') ? text.replaceAll('\0', '\ufffd') : text).toWellFormed();
}

/** Yields the items in slices of at most `size`, because a statement takes a limited number of values. */
export function* slices<T>(items: readonly T[], size: number): Generator<readonly T[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}
