import { memo, useMemo, useState } from 'react';
import type { DiffLine } from '../../src/agents/diff-lines.ts';
import { countChanges } from '../../src/agents/diff-lines.ts';
import { classes } from '../ui/classes.ts';
import { type Change, compareAgents, toHunks } from './compare-agents.ts';
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
      {change.lines.length > 0 && <DiffLines lines={change.lines} />}
    </li>
  );
}

const mostLines = 400;

function DiffLines({ lines }: { lines: readonly DiffLine[] }) {
  const [context, setContext] = useState(3);
  const [most, setMost] = useState(mostLines);
  const hunks = useMemo(() => toHunks(lines, context), [lines, context]);
  let shown = 0;
  return (
    <div className="overflow-x-auto border-line border-t bg-surface">
      <table className="w-full border-collapse font-mono text-xs leading-5">
        <caption className="sr-only">Lines that differ</caption>
        {hunks.map((hunk, index) => {
          const rest = hunk.lines.slice(0, Math.max(0, most - shown));
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
              {rest.map((line) => (
                <Line key={`${line.before} ${line.after}`} line={line} />
              ))}
            </tbody>
          );
        })}
      </table>
      {shown > most && (
        <button type="button" className="w-full py-2 text-muted text-xs hover:underline" onClick={() => setMost(shown)}>
          Show {(shown - most).toLocaleString('en')} more lines
        </button>
      )}
    </div>
  );
}

/** Sign, colour and a bar at the edge: readable without telling red from green. */
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
