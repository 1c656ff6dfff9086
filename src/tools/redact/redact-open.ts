import { secretSpellings } from '../../base/secret-names.ts';

/**
 * Returns a function that finds the index from which a growing text may be the start of a secret. A stream holds back the text from
 * there on, because half a secret cannot be recognized. At most a few lines are held back.
 */
export function openSecrets(values: readonly string[]): (text: string) => number {
  const known = values.filter((value) => value !== '');
  return (text) => {
    let from = text.length;
    for (const value of known) from = Math.min(from, startOfValue(text, value));
    from = Math.min(from, startOfPrefix(text), startOfRun(text), startOfKey(text), startOfName(text));
    return from;
  };
}

/** Within a word, shorter prefixes match everywhere. */
const shortestInWord = 3;

/** Returns the start of the longest end of the text that is a prefix of the value. */
function startOfValue(text: string, value: string): number {
  const maxLength = Math.min(text.length, value.length - 1);
  for (let length = maxLength; length > 0; length -= 1) {
    const start = text.length - length;
    const mayBegin = length >= shortestInWord || !/[A-Za-z0-9]/.test(text[start - 1] ?? '');
    if (mayBegin && text.endsWith(value.slice(0, length))) return start;
  }
  return text.length;
}

const prefixes = ['sk-', 'sk_', 'rk_', 'ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'github_pat_', 'glpat-', 'zoo_', 'AKIA'];
const otherPrefixes = ['ASIA', 'xox', 'AIza', 'eyJ', '-----BEGIN'];
const allPrefixes = [...prefixes, ...otherPrefixes];
const allNames = [...secretSpellings, 'basic'];

/** Returns the start of a run at the end of the text that may become a secret's prefix, or a name before a secret. */
function startOfPrefix(text: string): number {
  const run = /[A-Za-z0-9_-]{1,80}$/.exec(text)?.[0] ?? '';
  for (let start = 0; start < run.length; start += 1) {
    const isPart = start === 0 || /[_-]/.test(run[start - 1] ?? '') || run.length - start >= shortestInWord;
    if (isPart && isBeginning(run.slice(start))) return text.length - run.length;
  }
  return text.length;
}

function isBeginning(part: string): boolean {
  const folded = part.toLowerCase();
  return allPrefixes.some((whole) => whole.startsWith(part)) || allNames.some((whole) => whole.startsWith(folded));
}

const longestRun = 4_096;
const inRun = /[A-Za-z0-9_.:/+=@%~-]+$/;
const ofTokens = /sk-|[rs]k_(?:live|test)_|gh[pousr]_|github_pat_|glpat-|A[KS]IA|xox[a-z]-|AIza|eyJ|zoo_|:\/\//;

/** A token, or an address that may contain a password, continues until another character follows. */
function startOfRun(text: string): number {
  const run = inRun.exec(text.slice(-longestRun))?.[0];
  if (run !== undefined && ofTokens.test(run)) return text.length - run.length;
  return /:\/?$/.exec(text)?.index ?? text.length;
}

const longestKey = 8_192;

function startOfKey(text: string): number {
  const start = text.lastIndexOf('-----BEGIN');
  const isOpen = start !== -1 && text.length - start < longestKey && !/-----END[^\n]*-----/.test(text.slice(start));
  return isOpen ? start : text.length;
}

/** Text after a name such as `password` may be a secret. In ordinary prose, the wait is short. */
const afterName = 80;
const name = new RegExp(allNames.join('|'), 'gi');

function startOfName(text: string): number {
  const near = Math.max(0, text.length - afterName);
  for (const match of text.slice(near).matchAll(name)) return wordStart(text, near + match.index);
  return text.length;
}

/** `MY_API_TOKEN` is one name. */
function wordStart(text: string, index: number): number {
  const before = /[A-Za-z0-9_.-]{0,60}$/.exec(text.slice(0, index))?.[0] ?? '';
  return index - before.length;
}
