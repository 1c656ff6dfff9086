export interface ArgumentReference {
  name: string;
  from: number;
  to: number;
}

/** Matches `{name}`, as the hub replaces it. */
export const referencePattern = /\{([A-Za-z_][A-Za-z0-9_-]{0,63})\}/g;

export function findReferences(text: string): ArgumentReference[] {
  return [...text.matchAll(referencePattern)].map((match) => ({
    name: match[1] ?? '',
    from: match.index,
    to: match.index + match[0].length,
  }));
}

/** Returns names in braces that are not declared, each once and in order. They stay in the prompt as text. */
export function undeclaredNames(texts: readonly string[], declared: readonly string[]): string[] {
  const known = new Set(declared);
  const found = new Set(texts.flatMap((text) => findReferences(text).map((reference) => reference.name)));
  return [...found].filter((name) => !known.has(name));
}

/** Counts the uses of each name. */
export function countReferences(texts: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) {
    for (const { name } of findReferences(text)) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}
