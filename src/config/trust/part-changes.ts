import { type DiffLine, diffLines } from '../../agents/diff-lines.ts';
import { partText } from './describe-part.ts';
import type { JudgedPart } from './judge-parts.ts';
import type { TrustedFolder } from './trusted-folders.ts';

export type PartChange = Pick<DiffLine, 'kind' | 'text'>;

const maxChangedLines = 40;

/** Returns the lines that differ from what the user trusted, of the section and of the files it runs. */
export function partChanges(part: JudgedPart, trusted: TrustedFolder | undefined): PartChange[] {
  const before = trusted?.parts[part.key];
  const texts = [
    ...(before && before.hash !== part.hash ? [{ title: '', old: before.text, now: partText(part) }] : []),
    ...part.files
      .filter(({ name, hash }) => trusted?.files[name]?.hash !== hash)
      .map(({ name, text, hash }) => ({
        title: `${name}:`,
        old: trusted?.files[name]?.text ?? '',
        now: text ?? (hash === null ? '' : 'This file is too large to show, or not text.'),
      })),
  ];
  return texts.flatMap(({ title, old, now }) => {
    const changed = diffLines(old, now).filter(({ kind }) => kind !== 'same');
    const heading = title === '' ? [] : [{ kind: 'same' as const, text: title }];
    const none = { kind: 'same' as const, text: 'A value that is not shown here has changed.' };
    const rest = { kind: 'same' as const, text: `… and ${changed.length - maxChangedLines} more lines; choose "show"` };
    const cut = changed.length > maxChangedLines ? [...changed.slice(0, maxChangedLines), rest] : changed;
    return [...heading, ...(changed.length === 0 ? [none] : cut)];
  });
}
