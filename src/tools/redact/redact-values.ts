import { removed } from './redact.ts';
import { replaceWhole } from './redact-escapes.ts';

/** A text without these values, as they are and as they stand in JSON, in JSON within JSON, and in addresses. */
export function removeValues(values: readonly string[]): (text: string) => string {
  const plain = values.filter((value) => value !== '' && !needsEscapes(value));
  const escaped = values.filter(needsEscapes);
  const written = new Set([...plain, ...values.flatMap(writtenForms)]);
  const everywhere = anyOf([...written].filter((form) => !escaped.includes(form)));
  const outsideJson = anyOf(escaped);
  return (text) => {
    const clean = everywhere?.test(text) ? replaceWhole(text, new RegExp(everywhere, 'g'), () => removed) : text;
    // In JSON such a value is never written as it is: what looks like it is something else.
    return outsideJson?.test(clean) && !isJson(clean) ? clean.replace(new RegExp(outsideJson, 'g'), removed) : clean;
  };
}

function needsEscapes(value: string): boolean {
  return value !== '' && JSON.stringify(value).length !== value.length + 2;
}

function writtenForms(value: string): string[] {
  if (value === '') return [];
  const once = inJson(value);
  const slashes = value.replaceAll('/', '\\/');
  return [once, inJson(once), slashes, inJson(slashes), asPart(value)];
}

function inJson(value: string): string {
  return JSON.stringify(value).slice(1, -1);
}

/** Half of a pair of surrogates cannot be written in an address. */
function asPart(value: string): string {
  return value.isWellFormed() ? encodeURIComponent(value) : value;
}

/** Longest first: one may hold another. */
function anyOf(forms: readonly string[]): RegExp | undefined {
  if (forms.length === 0) return undefined;
  const longestFirst = forms.toSorted((one, other) => other.length - one.length);
  return new RegExp(longestFirst.map((form) => RegExp.escape(form)).join('|'));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
