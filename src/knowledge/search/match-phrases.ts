import { WordFinder } from './find-words.ts';

/** Whether all phrases stand in one of the texts each, their words in order with nothing between. */
export function createPhraseMatcher(phrases: readonly (readonly string[])[]): (texts: readonly string[]) => boolean {
  const all = phrases.map(createMatcher);
  return (texts) => all.every((matches) => texts.some(matches));
}

function createMatcher(phrase: readonly string[]): (text: string) => boolean {
  const finder = new WordFinder(phrase);
  const wanted = phrase.map((each) => finder.numberOf(each) ?? 0);
  return (text) => {
    const { words, positions } = finder.find(text);
    for (let start = 0; start + wanted.length <= words.length; start++) {
      const first = positions[start] ?? 0;
      // Each position holds one word, so words that follow each other in the list are neighbours when positions are.
      if (wanted.every((word, step) => words[start + step] === word && positions[start + step] === first + step))
        return true;
    }
    return false;
  };
}
