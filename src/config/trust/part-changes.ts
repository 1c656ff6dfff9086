import { type DiffLine, diffLines } from '../../agents/diff-lines.ts';
import { partText } from './describe-part.ts';
import type { JudgedPart } from './judge-parts.ts';
import { whyUnseen } from './part-files.ts';
import type { TrustedFolder } from './trusted-folders.ts';

export type PartChange = Pick<DiffLine, 'kind' | 'text'>;

/** Returns all lines that differ from what the user trusted, of the section and of the files it runs. */
export function partChanges(part: JudgedPart, trusted: TrustedFolder | undefined): PartChange[] {
  const before = trusted?.parts[part.key];
  const texts = [
    ...(before && before.hash !== part.hash ? [{ title: '', old: before.text, now: partText(part) }] : []),
    ...part.files
      .filter(({ name, hash }) => trusted?.files[name]?.hash !== hash)
      .map((file) => ({
        title: `${file.name}:`,
        old: trusted?.files[file.name]?.text ?? '',
        now: file.text ?? (file.hash === null ? '' : (whyUnseen(file) ?? '')),
      })),
  ];
  return texts.flatMap(({ title, old, now }) => {
    const changed = diffLines(old, now).filter(({ kind }) => kind !== 'same');
    const heading = title === '' ? [] : [{ kind: 'same' as const, text: title }];
    const none = { kind: 'same' as const, text: 'A value that is not shown here has changed.' };
    return [...heading, ...(changed.length === 0 ? [none] : changed)];
  });
}
