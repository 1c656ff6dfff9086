import { useMemo, useState } from 'react';
import { countChanges, type DiffLine } from '../../src/agents/diff-lines.ts';
import { classes } from './classes.ts';
import { toHunks } from './diff-hunks.ts';

const signs = { added: '+', removed: '−', changed: '~' } as const;

export interface ChangeItemProps {
  kind: keyof typeof signs;
  title: string;
  notes?: readonly string[];
  lines: readonly DiffLine[];
}

/** One entry in a list of differences between two versions. */
export function ChangeItem({ kind, title, notes = [], lines }: ChangeItemProps) {
  const { added, removed } = countChanges(lines);
  return (
    <li className="overflow-hidden rounded-xl border border-line bg-raised">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-0.5 px-3 py-2 text-sm">
        <span
          aria-hidden
          className={classes(
            'flex size-5 shrink-0 items-center justify-center rounded-md font-bold font-mono text-xs',
            kind === 'added' && 'bg-accent-soft text-accent-text',
            kind === 'removed' && 'bg-danger-soft text-danger',
            kind === 'changed' && 'bg-info-soft text-info',
          )}
        >
          {signs[kind]}
        </span>
        <span className="min-w-0 break-words font-medium">{title}</span>
        <span className="text-muted text-xs">{[kind, ...notes].join(' · ')}</span>
        {lines.length > 0 && (
          <span className="ml-auto font-mono text-xs tabular-nums">
            <span className="text-accent-text">+{added}</span> <span className="text-danger">−{removed}</span>
          </span>
        )}
      </div>
      {lines.length > 0 && (
        <div className="border-line border-t">
          <DiffTable lines={lines} />
        </div>
      )}
    </li>
  );
}

const maxLines = 400;

/** A unified diff: changed lines with some context; the rest is collapsed. */
function DiffTable({ lines }: { lines: readonly DiffLine[] }) {
  const [context, setContext] = useState(3);
  const [maxShown, setMaxShown] = useState(maxLines);
  const hunks = useMemo(() => toHunks(lines, context), [lines, context]);
  let shown = 0;
  return (
    <div className="overflow-x-auto bg-surface">
      <table className="w-full border-collapse font-mono text-xs leading-5">
        <caption className="sr-only">Changed lines</caption>
        {hunks.map((hunk, index) => {
          const visible = hunk.lines.slice(0, Math.max(0, maxShown - shown));
          shown += hunk.lines.length;
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: hunks have no identity beyond their order
            <tbody key={index}>
              {hunk.skipped > 0 && (
                <tr>
                  <td colSpan={3} className="bg-sunken/60 px-3 text-faint">
                    <button type="button" className="py-0.5 hover:underline" onClick={() => setContext(lines.length)}>
                      {hunk.skipped === 1 ? '1 unchanged line' : `${hunk.skipped} unchanged lines`}
                    </button>
                  </td>
                </tr>
              )}
              {visible.map((line) => (
                <Line key={`${line.before} ${line.after}`} line={line} />
              ))}
            </tbody>
          );
        })}
      </table>
      {shown > maxShown && (
        <button
          type="button"
          className="w-full py-2 text-muted text-xs hover:underline"
          onClick={() => setMaxShown(shown)}
        >
          Show {(shown - maxShown).toLocaleString('en')} more lines
        </button>
      )}
    </div>
  );
}

/** Marks changes with a sign and an edge bar, not only with color. */
function Line({ line }: { line: DiffLine }) {
  const isAdded = line.kind === 'added';
  const isRemoved = line.kind === 'removed';
  return (
    <tr
      className={classes(
        isAdded && 'bg-accent-soft shadow-[inset_3px_0_0_var(--accent)]',
        isRemoved && 'bg-danger-soft shadow-[inset_3px_0_0_var(--danger)]',
      )}
    >
      <td aria-hidden className="w-9 select-none pr-1 pl-2.5 text-right align-top text-faint tabular-nums">
        {line.after ?? line.before}
      </td>
      <td className="w-5 select-none text-center align-top font-bold">
        {isAdded ? <span title="added">+</span> : isRemoved ? <span title="removed">−</span> : ' '}
      </td>
      <td className={classes('whitespace-pre-wrap break-words pr-3', !isAdded && !isRemoved && 'text-muted')}>
        {line.text || ' '}
      </td>
    </tr>
  );
}
