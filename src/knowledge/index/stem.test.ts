import { expect, it } from 'vitest';
import { stem } from './stem.ts';

const cases: [words: string, stem: string][] = [
  ['caress caresses', 'caress'],
  ['pony ponies', 'poni'],
  ['cat cats', 'cat'],
  ['feed', 'feed'],
  ['agree agreed', 'agre'],
  ['plaster plastered', 'plaster'],
  ['sing', 'sing'],
  ['conflate conflated', 'conflat'],
  ['hop hopping', 'hop'],
  ['hope hoping', 'hope'],
  ['fall falling', 'fall'],
  ['hiss hissing', 'hiss'],
  ['file files filing', 'file'],
  ['happy', 'happi'],
  ['sky', 'sky'],
  ['relate relational', 'relat'],
  ['condition conditional', 'condit'],
  ['digitizer', 'digit'],
  ['operate operator operators operating', 'oper'],
  ['decisiveness', 'decis'],
  ['hopefulness', 'hope'],
  ['formality formalities', 'formal'],
  ['sensibility', 'sensibl'],
  ['triplicate', 'triplic'],
  ['electrical electricity', 'electr'],
  ['goodness', 'good'],
  ['revival', 'reviv'],
  ['allowance', 'allow'],
  ['replacement', 'replac'],
  ['adoption', 'adopt'],
  ['communism', 'commun'],
  ['bowdlerize', 'bowdler'],
  ['probate', 'probat'],
  ['rate', 'rate'],
  ['cease', 'ceas'],
  ['control controlling', 'control'],
  ['roll', 'roll'],
  ['is', 'is'],
  ['a', 'a'],
];

it.each(cases)('%s → %s', (words, expected) => {
  for (const each of words.split(' ')) expect(stem(each), each).toBe(expected);
});
