import { useId, useMemo, useState } from 'react';
import type { AgentDetail } from '../../../../src/agents/agents.contract.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Folding } from '../../../ui/folding.tsx';
import { Segmented } from '../../../ui/segmented.tsx';
import { ChangesView } from './changes-view.tsx';
import { changedFields, type Draft, pickFields, toDraft } from './draft.ts';
import { formatTime } from './format-time.ts';
import { type Conflict, mergeDrafts, resolveConflicts } from './merge-drafts.ts';

export interface ConflictDialogProps {
  /** The saved version. */
  theirs: AgentDetail;
  mine: Draft;
  /** The version both started from. */
  base: Draft;
  /** Whether offered tools have typed text that is not in the draft yet. */
  hasUnfinishedTools: boolean;
  busy: boolean;
  onClose: () => void;
  onTakeTheirs: () => void;
  onSave: (merged: Draft) => void;
  onCopyMine: () => void;
}

type Side = 'mine' | 'theirs';

/** Combines two versions and asks what to keep where both changed the same. Nothing is lost until the user decides. */
export function ConflictDialog(props: ConflictDialogProps) {
  const { theirs, mine, base, hasUnfinishedTools, busy, onClose, onTakeTheirs, onSave, onCopyMine } = props;
  const saved = useMemo(() => toDraft(theirs), [theirs]);
  const merge = useMemo(
    () => mergeDrafts({ base, mine, theirs: saved }, new Set(hasUnfinishedTools ? ['exposes'] : [])),
    [base, mine, saved, hasUnfinishedTools],
  );
  const { conflicts } = merge;
  const [fromTheirs, setFromTheirs] = useState<ReadonlySet<string>>(new Set());
  const choose = (title: string, side: Side) =>
    setFromTheirs((now) => {
      const next = new Set(now);
      if (side === 'theirs') next.add(title);
      else next.delete(title);
      return next;
    });
  const save = () => {
    const fromMine = conflicts.map(({ title }) => title).filter((title) => !fromTheirs.has(title));
    onSave(resolveConflicts(merge, mine, new Set(fromMine)));
  };
  return (
    <Dialog
      open
      onClose={onClose}
      size="lg"
      title="This agent was changed elsewhere"
      description={`Version ${theirs.revision ?? ''} was saved ${formatTime(theirs.updatedAt)}, after you started editing. ${
        conflicts.length === 0
          ? 'You changed different things, so both changes are kept.'
          : 'Choose what to keep where both of you changed the same part. Everything else is combined.'
      }`}
      footer={
        <>
          <Button variant="ghost" onClick={onClose} className="mr-auto">
            Decide later
          </Button>
          <Button disabled={busy} onClick={onCopyMine}>
            Save mine as new agent
          </Button>
          <Button disabled={busy} onClick={onTakeTheirs}>
            Discard mine
          </Button>
          <Button variant="primary" busy={busy} onClick={save}>
            Save combined version
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-5">
        {conflicts.map((conflict) => (
          <Choice
            key={conflict.title}
            conflict={conflict}
            mine={mine}
            theirs={saved}
            chosen={fromTheirs.has(conflict.title) ? 'theirs' : 'mine'}
            onChoose={(side) => choose(conflict.title, side)}
          />
        ))}
        <Combined base={base} mine={merge.draft} theirs={saved} conflicts={conflicts} />
        <p className="text-faint text-xs">Every saved version stays in the history, whatever you choose.</p>
      </div>
    </Dialog>
  );
}

interface ChoiceProps {
  conflict: Conflict;
  mine: Draft;
  theirs: Draft;
  chosen: Side;
  onChoose: (side: Side) => void;
}

/** One part that both changed, and what choosing a side does to the other one. */
function Choice({ conflict: { title, fields }, mine, theirs, chosen, onChoose }: ChoiceProps) {
  const id = useId();
  const sides = { mine: { ...theirs, ...pickFields(mine, fields) }, theirs };
  return (
    <section aria-labelledby={id} className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
        <h3 id={id} className="flex-1 font-semibold text-sm">
          {title}
        </h3>
        <Segmented<Side>
          label={`Keep for ${title}`}
          value={chosen}
          onChange={onChoose}
          options={[
            { value: 'mine', label: 'Keep mine' },
            { value: 'theirs', label: 'Keep theirs' },
          ]}
        />
      </div>
      <ChangesView
        before={sides[chosen === 'mine' ? 'theirs' : 'mine']}
        after={sides[chosen]}
        sameText="Both versions look the same."
      />
      <p className="text-muted text-xs">Lines with + are kept, lines with − are dropped.</p>
    </section>
  );
}

interface CombinedProps {
  base: Draft;
  /** Their version with my other changes. */
  mine: Draft;
  theirs: Draft;
  conflicts: readonly Conflict[];
}

/** What needs no choice. */
function Combined({ base, mine, theirs, conflicts }: CombinedProps) {
  const fields = conflicts.flatMap((conflict) => conflict.fields);
  const others = { ...theirs, ...pickFields(base, fields) };
  const lists = [
    { title: 'Your changes', before: theirs, after: mine },
    { title: 'Their changes', before: base, after: others },
  ].filter(({ before, after }) => changedFields(before, after).length > 0);
  if (lists.length === 0) return null;
  return (
    <section aria-label="Combined" className="flex flex-col gap-1">
      {conflicts.length > 0 && <h3 className="mb-1 font-semibold text-sm">Combined without a choice</h3>}
      {lists.map(({ title, before, after }) => (
        <Folding key={title} isOpenFirst={conflicts.length === 0} summary={<span className="text-sm">{title}</span>}>
          <ChangesView before={before} after={after} sameText="No changes." />
        </Folding>
      ))}
    </section>
  );
}
