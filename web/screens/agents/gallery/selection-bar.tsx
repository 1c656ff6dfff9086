import { Download, Tag, Trash2, X } from 'lucide-react';
import { useId, useState } from 'react';
import { agentLimits } from '../../../../src/agents/agent.ts';
import type { AgentSummary } from '../../../../src/agents/agents.contract.ts';
import { DraftNote } from '../../../parts/drafts/draft-note.tsx';
import { useFormDraft } from '../../../parts/drafts/use-form-draft.ts';
import { Button } from '../../../ui/button.tsx';
import { Field } from '../../../ui/field.tsx';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { IconButton } from '../../../ui/icon-button.tsx';
import { Input } from '../../../ui/input.tsx';
import { Segmented } from '../../../ui/segmented.tsx';
import { useBulkChange, useExport } from './use-bulk-actions.ts';
import type { Selection } from './use-selection.ts';

interface SelectionBarProps {
  agents: readonly AgentSummary[];
  selection: Selection;
  knownTags: readonly string[];
}

/** What can be done with the selected agents. */
export function SelectionBar({ agents, selection, knownTags }: SelectionBarProps) {
  const [isTagging, setIsTagging] = useState(false);
  const change = useBulkChange();
  const exporting = useExport();
  const selected = agents.filter(({ id }) => selection.ids.has(id));
  const editable = selected.filter((agent) => agent.editable);
  if (selected.length === 0) return null;
  /** The focus moves to a card that stays, because the bar goes. */
  const clear = () => {
    const at = agents.findIndex(({ id }) => selection.ids.has(id));
    const others = (agent: AgentSummary) => !selection.ids.has(agent.id);
    const next = agents.slice(at).find(others) ?? agents.slice(0, at).findLast(others) ?? agents[at];
    document.getElementById(`agent-${next?.id}`)?.querySelector('a')?.focus({ preventScroll: true });
    selection.set([]);
  };
  return (
    <section
      aria-label="Selected agents"
      className="sticky bottom-3 z-20 mx-auto mt-4 flex w-fit max-w-full flex-wrap items-center gap-1.5 rounded-card border border-line-strong bg-raised p-2 shadow-pop max-md:bottom-18"
    >
      <p role="status" className="px-2 text-sm">
        {selected.length} selected
        {editable.length < selected.length && (
          <span className="text-faint"> · {selected.length - editable.length} from files, read-only</span>
        )}
      </p>
      <Button icon={<Tag aria-hidden />} disabled={editable.length === 0} onClick={() => setIsTagging(true)}>
        Tag…
      </Button>
      <Button
        icon={<Download aria-hidden />}
        busy={exporting.isPending}
        onClick={() => exporting.mutate(selected.map(({ id }) => id))}
      >
        Export
      </Button>
      <Button
        variant="danger"
        icon={<Trash2 aria-hidden />}
        disabled={editable.length === 0}
        busy={change.isPending}
        onClick={() => {
          change.mutate({ kind: 'delete', agents: editable });
          clear();
        }}
      >
        Delete
      </Button>
      <Button variant="ghost" onClick={() => selection.set(agents.map(({ id }) => id))}>
        Select all
      </Button>
      <IconButton label="Clear the selection" icon={<X aria-hidden />} onClick={clear} />
      {isTagging && (
        <TagDialog
          agents={editable}
          knownTags={knownTags}
          onClose={() => setIsTagging(false)}
          onTag={(tag, isAdded) => {
            change.mutate({ kind: 'tag', agents: editable, tag, isAdded });
            setIsTagging(false);
          }}
        />
      )}
    </section>
  );
}

interface TagDialogProps {
  agents: readonly AgentSummary[];
  knownTags: readonly string[];
  onClose: () => void;
  onTag: (tag: string, isAdded: boolean) => void;
}

function TagDialog({ agents, knownTags, onClose, onTag }: TagDialogProps) {
  const draft = useFormDraft('tag/selected', { tag: '', action: 'add' as 'add' | 'remove' });
  const { tag, action } = draft.value;
  const listId = useId();
  const offered = action === 'add' ? knownTags : [...new Set(agents.flatMap(({ tags }) => tags))];
  return (
    <FormDialog
      title={agents.length === 1 ? 'Tag 1 agent' : `Tag ${agents.length} agents`}
      submit={action === 'add' ? 'Add tag' : 'Remove tag'}
      onSubmit={() => {
        if (tag.trim() === '') return;
        draft.forget();
        onTag(tag.trim(), action === 'add');
      }}
      request={{ isPending: false, isSuccess: false, error: null }}
      onClose={onClose}
    >
      <DraftNote draft={draft} />
      <Segmented
        label="Action"
        value={action}
        onChange={(next) => draft.set({ tag, action: next })}
        options={[
          { value: 'add', label: 'Add a tag' },
          { value: 'remove', label: 'Remove a tag' },
        ]}
      />
      <Field label="Tag">
        {(field) => (
          <Input
            {...field}
            autoFocus
            list={listId}
            value={tag}
            maxLength={agentLimits.tag}
            autoComplete="off"
            onChange={(event) => draft.set({ action, tag: event.target.value.replaceAll(',', '') })}
          />
        )}
      </Field>
      <datalist id={listId}>
        {offered.map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
    </FormDialog>
  );
}
