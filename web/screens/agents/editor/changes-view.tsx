import { memo, useMemo } from 'react';
import { ChangeItem } from '../../../ui/change-item.tsx';
import { compareAgents } from './compare-agents.ts';
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
        <ChangeItem key={`${change.kind} ${change.title}`} {...change} />
      ))}
    </ul>
  );
});
