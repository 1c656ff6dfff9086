import { removeAssigned } from './redact-assigned.ts';
import { escapeTail, replaceWhole } from './redact-escapes.ts';
import { openSecrets } from './redact-open.ts';
import { removeValues } from './redact-values.ts';

/** Takes secrets out of a text, and leaves the rest as it is. What was JSON stays JSON. */
export type Redact = ((text: string) => string) & {
  /** Grows when it was told of more values: whoever remembers that a text is clean looks again. */
  readonly learned?: number;
  /** From where on a text that still grows may be the beginning of a secret; its length when nowhere. */
  readonly openFrom?: (text: string) => number;
};

/** Stands where a secret was. */
export const removed = '[removed]';

/**
 * Known values, and what has the shape of a secret: keys of well-known services, our own tokens, private keys, passwords
 * in addresses, and what follows a name such as `password` or `Authorization`. Works on the text, also inside JSON that
 * is a string in JSON. Takes time in proportion to the text, whatever it holds; a clean text is looked at once.
 */
export function createRedact({ values }: { values: readonly string[] }): Redact {
  const withoutValues = removeValues(values);
  const redact = (text: string) => {
    const known = withoutValues(text);
    return suspicious.test(known) ? removeAssigned(removeShapes(known)) : known;
  };
  return Object.assign(redact, { openFrom: openSecrets(values) });
}

/** One that is told of more values while it is used, and forgets none. */
export function learningRedact(values: readonly string[]): { redact: Redact; learn(values: readonly string[]): void } {
  const known = new Set(values);
  let current = createRedact({ values });
  let learned = 0;
  const openFrom = (text: string) => current.openFrom?.(text) ?? text.length;
  const live = Object.assign((text: string) => current(text), { openFrom });
  const redact = Object.defineProperty(live, 'learned', { get: () => learned });
  return {
    redact,
    learn(more) {
      const fresh = more.filter((value) => value.length >= shortest && !known.has(value));
      if (fresh.length === 0) return;
      for (const value of fresh) known.add(value);
      // Longest first: one may hold another.
      current = createRedact({ values: [...known].toSorted((one, other) => other.length - one.length) });
      learned += 1;
    },
  };
}

/** Shorter ones are words that stand in any text. */
const shortest = 8;

/** Every secret below holds one of these. */
const suspicious =
  /sk-|gh[pousr]_|github_pat_|glpat-|A[KS]IA|xox[a-z]-|AIza|eyJ|zoo_[\w-]{43}|k_(?:live|test)_|PRIVATE KEY|:\/\/[^\s/]*@|bearer|basic|authorization|passw|passphrase|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credential/i;

function removeShapes(text: string): string {
  const others = text.replace(privateKey, removeKey).replace(address, `://$1:${removed}@`);
  return replaceWhole(others, token, (match) => (match.startsWith('eyJ') && !match.includes('.') ? match : removed));
}

/** What stands before a token is no part of a word; in JSON a word may stand before it as the end of an escape. */
const start = String.raw`(?<=^|[^A-Za-z0-9]|\\[nrtbf]|\\u[0-9a-fA-F]{4})`;
const shapes = [
  'sk-[A-Za-z0-9_-]{16,}',
  'gh[pousr]_[A-Za-z0-9]{20,}',
  String.raw`github_pat_\w{20,}`,
  String.raw`glpat-[\w-]{16,}`,
  'A[KS]IA[A-Z0-9]{16}',
  'xox[a-z]-[A-Za-z0-9-]{10,}',
  String.raw`AIza[\w-]{30,}`,
  '[rs]k_(?:live|test)_[A-Za-z0-9]{16,}',
  // With a dot in it; one without is taken, too, and left as it is, so that no part of it is looked at again.
  String.raw`eyJ[\w-]{8,}(?:\.[\w-]{8,}(?:\.[\w-]*)?)?`,
  String.raw`zoo_[\w-]{43,}`,
];
const token = new RegExp(`${start}(?:${shapes.join('|')})`, 'g');

const address = /:\/\/([^\s/:@"'\\]{0,256}):[^\s/"'\\]{1,256}@/g;

const inKey = String.raw`[A-Za-z0-9+/=\s\\:,.-]`;
const keyName = '[A-Z0-9 ]{0,30}PRIVATE KEY-----';
/** One that was cut off has no end: it goes as far as a key may. */
const privateKey = new RegExp(`-----BEGIN ${keyName}(?:${inKey}*?-----END ${keyName}|${inKey}*)`, 'g');

/** A backslash at the end may belong to what follows. */
function removeKey(key: string): string {
  return `${removed}${escapeTail(key)}`;
}
