import { useState } from 'react';
import type { AgentDetail } from '../../../../src/agents/agents.contract.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Segmented } from '../../../ui/segmented.tsx';
import { ChangesView } from './changes-view.tsx';
import { type Draft, toDraft } from './draft.ts';
import { formatTime } from './format-time.ts';

export interface ConflictDialogProps {
  /** The saved version; null hides the dialog. */
  theirs: AgentDetail | null;
  mine: Draft;
  /** The version both started from. */
  base: Draft;
  busy: boolean;
  onClose: () => void;
  onTakeTheirs: (theirs: AgentDetail) => void;
  onOverwrite: (theirs: AgentDetail) => void;
  onCopyMine: (theirs: AgentDetail) => void;
}

type View = 'difference' | 'theirs' | 'mine';

/** Resolves a conflict between two saves. Nothing is lost until the user decides. */
export function ConflictDialog(props: ConflictDialogProps) {
  const { theirs, mine, base, busy, onClose, onTakeTheirs, onOverwrite, onCopyMine } = props;
  const [view, setView] = useState<View>('difference');
  return (
    <Dialog
      open={theirs !== null}
      onClose={onClose}
      size="lg"
      title="This agent was changed elsewhere"
      description={
        theirs
          ? `Version ${theirs.revision ?? ''} was saved ${formatTime(theirs.updatedAt)}, after you started editing. Your changes are still here.`
          : undefined
      }
      footer={
        theirs && (
          <>
            <Button variant="ghost" onClick={onClose} className="mr-auto">
              Decide later
            </Button>
            <Button disabled={busy} onClick={() => onCopyMine(theirs)}>
              Save mine as new agent
            </Button>
            <Button disabled={busy} onClick={() => onTakeTheirs(theirs)}>
              Keep theirs
            </Button>
            <Button variant="primary" busy={busy} onClick={() => onOverwrite(theirs)}>
              Overwrite with mine
            </Button>
          </>
        )
      }
    >
      {theirs && (
        <div className="flex flex-col gap-3">
          <Segmented<View>
            label="Comparison"
            value={view}
            onChange={setView}
            className="self-start"
            options={[
              { value: 'difference', label: 'Theirs → mine' },
              { value: 'theirs', label: 'Their changes' },
              { value: 'mine', label: 'My changes' },
            ]}
          />
          {view === 'difference' && (
            <ChangesView before={toDraft(theirs)} after={mine} sameText="Both versions are the same." />
          )}
          {view === 'theirs' && <ChangesView before={base} after={toDraft(theirs)} sameText="No changes." />}
          {view === 'mine' && <ChangesView before={base} after={mine} sameText="No changes." />}
          <p className="text-faint text-xs">Every saved version stays in the history, whatever you choose.</p>
        </div>
      )}
    </Dialog>
  );
}
