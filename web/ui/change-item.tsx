import { countChanges, type DiffLine } from '../../src/agents/diff-lines.ts';
import { classes } from './classes.ts';
import { DiffTable } from './diff-table.tsx';

const signs = { added: '+', removed: '−', changed: '~' } as const;

export interface ChangeItemProps {
  kind: keyof typeof signs;
  title: string;
  notes?: readonly string[];
  lines: readonly DiffLine[];
}

/** One difference between two versions of something, in a list of them. */
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
