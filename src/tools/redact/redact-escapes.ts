/**
 * Replaces every match, and leaves whole what JSON has before it: in `\nword` the `n` is the end of an escape, although a
 * match may begin with it.
 */
export function replaceWhole(text: string, pattern: RegExp, by: (match: string) => string): string {
  return text.replace(pattern, (match: string, ...rest: unknown[]) => {
    // Without groups the place is the first of the rest.
    const offset = Number(rest[0]);
    const whole = by(match);
    return whole === match ? match : `${match.slice(0, escapeOverlap(text, offset))}${whole}`;
  });
}

/** How many characters from here on are the end of an escape that began before. */
function escapeOverlap(text: string, offset: number): number {
  if (backslashesBefore(text, offset) % 2 === 1) return text[offset] === 'u' ? 5 : 1;
  for (let back = 2; back <= 5; back += 1) {
    const begin = offset - back;
    if (begin < 0 || text[begin] !== '\\' || text[begin + 1] !== 'u') continue;
    if (backslashesBefore(text, begin) % 2 === 0 && /^[0-9a-f]{4}$/i.test(text.slice(begin + 2, begin + 6)))
      return 6 - back;
  }
  return 0;
}

export function backslashesBefore(text: string, offset: number): number {
  let count = 0;
  while (text[offset - 1 - count] === '\\') count += 1;
  return count;
}

export function escapeTail(text: string): string {
  return text.slice(text.length - backslashesBefore(text, text.length));
}
