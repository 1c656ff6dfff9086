/**
 * Martin Porter's algorithm for suffixes of English words ("An algorithm for suffix stripping", 1980), with the two
 * departures of his own program: `bli` and `logi` in step 2. Takes a word of the letters a to z.
 */
export function stem(word: string): string {
  if (word.length <= 2) return word;
  return stepFive(stepFour(stepThree(stepTwo(stepOneC(stepOneB(stepOneA(word)))))));
}

function stepOneA(word: string): string {
  if (!word.endsWith('s')) return word;
  if (word.endsWith('sses') || word.endsWith('ies')) return word.slice(0, -2);
  return word.endsWith('ss') ? word : word.slice(0, -1);
}

function stepOneB(word: string): string {
  if (word.endsWith('eed')) return measure(word, word.length - 3) > 0 ? word.slice(0, -1) : word;
  const cut = word.endsWith('ed') ? 2 : word.endsWith('ing') ? 3 : 0;
  if (cut === 0 || !hasVowel(word, word.length - cut)) return word;
  const rest = word.slice(0, -cut);
  if (rest.endsWith('at') || rest.endsWith('bl') || rest.endsWith('iz')) return `${rest}e`;
  if (endsWithDouble(rest) && !/[lsz]$/.test(rest)) return rest.slice(0, -1);
  return measure(rest, rest.length) === 1 && endsShort(rest) ? `${rest}e` : rest;
}

function stepOneC(word: string): string {
  return word.endsWith('y') && hasVowel(word, word.length - 1) ? `${word.slice(0, -1)}i` : word;
}

const stepTwoSuffixes: readonly (readonly [string, string])[] = [
  ['ational', 'ate'],
  ['tional', 'tion'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['izer', 'ize'],
  ['bli', 'ble'],
  ['alli', 'al'],
  ['entli', 'ent'],
  ['eli', 'e'],
  ['ousli', 'ous'],
  ['ization', 'ize'],
  ['ation', 'ate'],
  ['ator', 'ate'],
  ['alism', 'al'],
  ['iveness', 'ive'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['aliti', 'al'],
  ['iviti', 'ive'],
  ['biliti', 'ble'],
  ['logi', 'log'],
];

const stepThreeSuffixes: readonly (readonly [string, string])[] = [
  ['icate', 'ic'],
  ['ative', ''],
  ['alize', 'al'],
  ['iciti', 'ic'],
  ['ical', 'ic'],
  ['ful', ''],
  ['ness', ''],
];

function stepTwo(word: string): string {
  return replaceSuffix(word, stepTwoSuffixes);
}

function stepThree(word: string): string {
  return replaceSuffix(word, stepThreeSuffixes);
}

/** The first suffix that fits decides, whether its condition holds or not. */
function replaceSuffix(word: string, suffixes: readonly (readonly [string, string])[]): string {
  for (const [suffix, replacement] of suffixes) {
    if (!word.endsWith(suffix)) continue;
    const length = word.length - suffix.length;
    return measure(word, length) > 0 ? word.slice(0, length) + replacement : word;
  }
  return word;
}

const stepFourSuffixes = [
  'al',
  'ance',
  'ence',
  'er',
  'ic',
  'able',
  'ible',
  'ant',
  'ement',
  'ment',
  'ent',
  'ion',
  'ou',
  'ism',
  'ate',
  'iti',
  'ous',
  'ive',
  'ize',
];

function stepFour(word: string): string {
  for (const suffix of stepFourSuffixes) {
    if (!word.endsWith(suffix)) continue;
    const length = word.length - suffix.length;
    const before = word.charAt(length - 1);
    const fits = measure(word, length) > 1 && (suffix !== 'ion' || before === 's' || before === 't');
    return fits ? word.slice(0, length) : word;
  }
  return word;
}

function stepFive(word: string): string {
  let result = word;
  if (result.endsWith('e')) {
    const length = result.length - 1;
    const count = measure(result, length);
    if (count > 1 || (count === 1 && !endsShort(result.slice(0, length)))) result = result.slice(0, length);
  }
  return result.endsWith('ll') && measure(result, result.length) > 1 ? result.slice(0, -1) : result;
}

/** How often a vowel is followed by a consonant in the first `length` letters. */
function measure(word: string, length: number): number {
  let count = 0;
  let wasVowel = false;
  for (let index = 0; index < length; index++) {
    const vowel = isVowel(word, index, wasVowel);
    if (wasVowel && !vowel) count++;
    wasVowel = vowel;
  }
  return count;
}

function hasVowel(word: string, length: number): boolean {
  let wasVowel = false;
  for (let index = 0; index < length; index++) {
    wasVowel = isVowel(word, index, wasVowel);
    if (wasVowel) return true;
  }
  return false;
}

/** `y` is a vowel after a consonant. */
function isVowel(word: string, index: number, afterVowel: boolean): boolean {
  switch (word.charCodeAt(index)) {
    case 97: // a
    case 101: // e
    case 105: // i
    case 111: // o
    case 117: // u
      return true;
    case 121: // y
      return index > 0 && !afterVowel;
    default:
      return false;
  }
}

function endsWithDouble(word: string): boolean {
  const last = word.length - 1;
  return last > 0 && word.charCodeAt(last) === word.charCodeAt(last - 1) && !isVowelAt(word, last);
}

/** Consonant, vowel, consonant at the end, the last not w, x or y: `hop`, `fil`. */
function endsShort(word: string): boolean {
  const last = word.length - 1;
  return (
    last >= 2 &&
    !isVowelAt(word, last) &&
    isVowelAt(word, last - 1) &&
    !isVowelAt(word, last - 2) &&
    !/[wxy]$/.test(word)
  );
}

function isVowelAt(word: string, index: number): boolean {
  let vowel = false;
  for (let each = 0; each <= index; each++) vowel = isVowel(word, each, vowel);
  return vowel;
}
