/** Reads a list that was typed with one item per line, or with commas. */
export function listOf(text: string): string[] {
  return [
    ...new Set(
      text
        .split(/[\n,]/)
        .map((line) => line.trim())
        .filter((line) => line !== ''),
    ),
  ];
}
