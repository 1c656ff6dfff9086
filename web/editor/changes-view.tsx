import { memo, useMemo } from 'react';
import { countChanges } from '../../src/agents/diff-lines.ts';
import { classes } from '../ui/classes.ts';
import { DiffTable } from '../ui/diff-table.tsx';
import { type Change, compareAgents } from './compare-agents.ts';
import type { Draft } from './draft.ts';

export interface ChangesViewProps {
  before: Draft;
  after: Draft;
  /** Said when there is no difference. */
  sameText: string;
}

/** What has to happen to one version to make the other. */
export const ChangesView = memo(function ChangesView({ before, after, sameText }: ChangesViewProps) {
  const changes = useMemo(() => compareAgents(before, after), [before, after]);
  if (changes.length === 0) return <p className="py-3 text-muted text-sm">{sameText}</p>;
  return (
    <ul className="flex flex-col gap-2.5">
      {changes.map((change) => (
        <ChangeItem key={`${change.kind} ${change.title}`} change={change} />
      ))}
    </ul>
  );
});

const signs = { added: '+', removed: '−', changed: '~' } as const;
const words = { added: 'added', removed: 'removed', changed: 'changed' } as const;

function ChangeItem({ change }: { change: Change }) {
  const { added, removed } = countChanges(change.lines);
  return (
    <li className="overflow-hidden rounded-xl border border-line bg-raised">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-0.5 px-3 py-2 text-sm">
        <span
          aria-hidden
          className={classes(
            'flex size-5 shrink-0 items-center justify-center rounded-md font-bold font-mono text-xs',
            change.kind === 'added' && 'bg-accent-soft text-accent-text',
            change.kind === 'removed' && 'bg-danger-soft text-danger',
            change.kind === 'changed' && 'bg-info-soft text-info',
          )}
        >
          {signs[change.kind]}
        </span>
        <span className="min-w-0 break-words font-medium">{change.title}</span>
        <span className="text-muted text-xs">{[words[change.kind], ...change.notes].join(' · ')}</span>
        {change.lines.length > 0 && (
          <span className="ml-auto font-mono text-xs tabular-nums">
            <span className="text-accent-text">+{added}</span> <span className="text-danger">−{removed}</span>
          </span>
        )}
      </div>
      {change.lines.length > 0 && (
        <div className="border-line border-t">
          <DiffTable lines={change.lines} />
        </div>
      )}
    </li>
  );
}
