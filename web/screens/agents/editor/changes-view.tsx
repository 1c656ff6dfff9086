import { memo, useMemo } from 'react';
import { ChangeItem } from '../../../ui/change-item.tsx';
import { compareAgents } from './compare-agents.ts';
import type { Draft } from './draft.ts';

export interface ChangesViewProps {
  before: Draft;
  after: Draft;
  /** Shown when nothing differs. */
  sameText: string;
}

/** Lists the changes from one version to another. */
export const ChangesView = memo(function ChangesView({ before, after, sameText }: ChangesViewProps) {
  const changes = useMemo(() => compareAgents(before, after), [before, after]);
  if (changes.length === 0) return <p className="py-3 text-muted text-sm">{sameText}</p>;
  return (
    <ul className="flex flex-col gap-2.5">
      {changes.map((change, index) => {
        // Two added skills may have the same name.
        const nth = changes.slice(0, index).filter(({ title }) => title === change.title).length;
        return <ChangeItem key={`${change.kind} ${change.title} ${nth}`} {...change} />;
      })}
    </ul>
  );
});
