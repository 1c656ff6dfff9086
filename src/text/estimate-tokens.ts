/**
 * Estimates how many tokens a language model would count: about four characters per token in prose, three in code, one in
 * Chinese, Japanese and Korean. The weights of parts add up to the weight of the whole, so that cutting can work with sums
 * instead of counting again.
 */
export function estimateTokens(text: string): number {
  return tokensOf(weightOf(text, 0, text.length));
}

/** The weight of one token. Integers keep sums exact. */
export const weightOfToken = 100;

export function tokensOf(weight: number): number {
  return Math.ceil(weight / weightOfToken);
}

export function weightOf(text: string, start: number, end: number): number {
  let sum = 0;
  for (let index = start; index < end; index += 1) sum += weightOfCode(text.charCodeAt(index));
  return sum;
}

export function weightOfCode(code: number): number {
  return code < 128 ? (asciiWeights[code] as number) : wideWeight(code); // The table has all 128.
}

const asciiWeights = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/[a-z]/.test(character)) return 23;
  if (/[A-Z]/.test(character)) return 28;
  if (/[0-9]/.test(character)) return 40;
  return /\s/.test(character) ? 10 : 65;
});

function wideWeight(code: number): number {
  if (code < 0x800) return 50; // Accents, Greek, Cyrillic, Hebrew, Arabic.
  if (code < 0x2e80) return 80; // Scripts of South Asia, signs.
  if (code < 0xd800) return 110; // Chinese, Japanese, Korean.
  return code < 0xe000 ? 120 : 100; // Half of an emoji; the rest.
}
