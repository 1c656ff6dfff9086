/** Text that is the same in every run: passages of about a kilobyte, with word frequencies as in natural language. */

const vocabularySize = 50_000;
const wordsOfPassage = 145;

const syllables = 'ba ce di fo gu ha je ki lo mu na pe ri so tu va we zi yo qu'.split(' ');
const vocabulary = Array.from({ length: vocabularySize }, (_, rank) => wordOf(rank));
/** The cumulative probability of each word rank, by Zipf's law. */
const shares = cumulativeShares();

export function passageText(index: number): string {
  const random = randomNumbers(index + 1);
  let text = '';
  for (let count = 0; count < wordsOfPassage; count += 1) {
    const word = vocabulary[rankOf(random())] ?? '';
    text += count % 14 === 13 ? `${word}. ` : `${word} `;
  }
  return text.trim();
}

/** Returns two to five words, drawn like those of the passages. `rarerThan` skips this many of the most frequent words. */
export function queryText(index: number, { rarerThan = 0 }: { rarerThan?: number } = {}): string {
  const random = randomNumbers(1_000_003 + index * 7);
  const words = 2 + Math.floor(random() * 4);
  return Array.from({ length: words }, () => {
    let rank = rankOf(random());
    while (rank < rarerThan) rank = rankOf(random());
    return vocabulary[rank];
  }).join(' ');
}

function rankOf(share: number): number {
  let low = 0;
  let high = vocabularySize - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((shares[middle] ?? 1) < share) low = middle + 1;
    else high = middle;
  }
  return low;
}

function cumulativeShares(): Float64Array {
  const sums = new Float64Array(vocabularySize);
  let sum = 0;
  for (let rank = 0; rank < vocabularySize; rank += 1) {
    sum += 1 / (rank + 2);
    sums[rank] = sum;
  }
  return sums.map((each) => each / sum);
}

/** Frequent words are short. */
function wordOf(rank: number): string {
  let rest = rank + syllables.length;
  let word = '';
  for (; rest > 0; rest = Math.floor(rest / syllables.length)) word += syllables[rest % syllables.length];
  return word;
}

/** Returns a generator of numbers from 0 to 1 that depends only on the seed. */
function randomNumbers(seed: number): () => number {
  let state = Math.imul(seed, 0x9e3779b1) | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
