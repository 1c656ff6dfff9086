import { diffLines } from '../../agents/diff-lines.ts';
import { isSecretSetting } from '../../base/secret-names.ts';
import { maskAddress } from '../../servers/mask-secrets.ts';
import { tomlStatements } from './toml-statements.ts';

export interface ChangedLine {
  kind: 'added' | 'removed';
  /** In the old text if it was removed, otherwise in the new one. */
  line: number;
  text: string;
}

/** Returns the lines that differ between two versions of a config, with secrets masked. */
export function changedLines(before: string, after: string): ChangedLine[] {
  const secrets = secretTexts(before);
  const isNew = (key: string, text: string) => (key === '' ? !before.includes(text) : secrets.get(key) !== text);
  return diffLines(
    masked(before, () => false),
    masked(after, isNew),
  ).flatMap(({ kind, text, ...line }): ChangedLine[] =>
    kind === 'same' ? [] : [{ kind, line: line.after ?? line.before ?? 0, text: text.replace(/\r$/, '') }],
  );
}

function secretTexts(text: string): Map<string, string> {
  return new Map(secretPairs(text).map(({ key, value }) => [key, text.slice(value.start, value.end)]));
}

/** An address has no key. */
function masked(text: string, isNew: (key: string, text: string) => boolean): string {
  const hidden = secretPairs(text).reduceRight((rest, { key, value }) => {
    const old = text.slice(value.start, value.end);
    // Keeps the number of lines.
    const mask = `"••••••••"${isNew(key, old) ? ' (new)' : ''}${'\n'.repeat(old.split('\n').length - 1)}`;
    return `${rest.slice(0, value.start)}${mask}${rest.slice(value.end)}`;
  }, text);
  return hidden
    .replaceAll(/\b([a-z][a-z+]*:\/\/[^\s"']+)(["']?)/gi, (_whole, address: string, quote: string) => {
      const shown = maskAddress(address);
      return `${shown}${quote}${shown !== address && isNew('', address) ? ' (new)' : ''}`;
    })
    .replace(/\n$/, '');
}

/** The values of keys that suggest a secret, and everything in `env` and `headers`. A reference to a variable is not a secret. */
function secretPairs(text: string) {
  return tomlStatements(text).flatMap(({ kind, path, value }) => {
    const written = text.slice(value.start, value.end);
    const isNamed = isSecretSetting(path.at(-1) ?? '') || path.some((part) => /^(?:env|headers)$/i.test(part));
    // The keys in an inline table have no statements of their own.
    const isSecret = isNamed || (/^[[{]/.test(written) && written.includes('{'));
    const isReference = /^["']\$\{\w+\}["']$/.test(written);
    return kind === 'pair' && isSecret && !isReference ? [{ key: JSON.stringify(path), value }] : [];
  });
}
