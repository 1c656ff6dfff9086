/** Returns the first suitable sentence of a paragraph on one line, and the text without it. */
export function takeSentence(
  text: string,
  fits: (sentence: string) => boolean,
): [sentence: string, rest: string] | undefined {
  for (const { 0: written, index } of text.matchAll(
    /\S[\s\S]*?(?:[.!?:]["')`]?(?=\s+["'(`*\\[]*[A-Z0-9`]|\s*$)|(?=\n\s*\n)|$)/g,
  )) {
    const sentence = written.replace(/\s+/g, ' ').trim();
    if (fits(sentence)) return [sentence, `${text.slice(0, index)}${text.slice(index + written.length)}`.trim()];
  }
  return undefined;
}
