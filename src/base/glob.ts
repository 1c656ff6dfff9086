/** `*` stands for any run of characters, everything else for itself. Linear in the text for any pattern. */
export function matchesGlob(pattern: string, text: string): boolean {
  let patternIndex = 0;
  let textIndex = 0;
  let star = -1;
  let restart = 0;
  while (textIndex < text.length) {
    if (pattern[patternIndex] === '*') {
      star = patternIndex;
      restart = textIndex;
      patternIndex += 1;
    } else if (patternIndex < pattern.length && pattern[patternIndex] === text[textIndex]) {
      patternIndex += 1;
      textIndex += 1;
    } else if (star >= 0) {
      restart += 1;
      textIndex = restart;
      patternIndex = star + 1;
    } else {
      return false;
    }
  }
  while (pattern[patternIndex] === '*') patternIndex += 1;
  return patternIndex === pattern.length;
}

export function matchesAnyGlob(patterns: readonly string[], text: string): boolean {
  return findGlob(patterns, text) !== undefined;
}

/** The first pattern that matches. */
export function findGlob(patterns: readonly string[], text: string): string | undefined {
  return patterns.find((pattern) => matchesGlob(pattern, text));
}
