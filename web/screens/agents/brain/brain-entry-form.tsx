import { type SubmitEvent, useId, useState } from 'react';
import { type BrainEntryType, NewBrainEntry } from '../../../../src/brain/brain.ts';
import { DraftNote } from '../../../parts/drafts/draft-note.tsx';
import { useFormDraft } from '../../../parts/drafts/use-form-draft.ts';
import { Button } from '../../../ui/button.tsx';
import { Checkbox } from '../../../ui/checkbox.tsx';
import { TextField } from '../../../ui/input.tsx';
import { Segmented } from '../../../ui/segmented.tsx';
import { TextareaField } from '../../../ui/textarea.tsx';
import { brainLook, brainTypes } from './brain-look.tsx';
import { parseTags } from './brain-timeline.ts';

export interface BrainEntryFields {
  type: BrainEntryType;
  content: string;
  tags: string[];
  pinned: boolean;
}

export interface BrainEntryFormProps {
  /** The entry that is edited, or the agent that gets a new one. */
  draft: { name: string; base?: string };
  start: BrainEntryFields;
  submitLabel: string;
  onSubmit: (fields: BrainEntryFields) => Promise<unknown>;
  onClose: () => void;
}

export function BrainEntryForm({ draft: { name, base }, start, submitLabel, onSubmit, onClose }: BrainEntryFormProps) {
  const draft = useFormDraft(
    `brain/${name}`,
    { type: start.type, content: start.content, tags: start.tags.join(', '), pinned: start.pinned },
    base === undefined ? {} : { base },
  );
  const { type, content, tags, pinned } = draft.value;
  const change = (fields: Partial<typeof draft.value>) => draft.set((before) => ({ ...before, ...fields }));
  const [error, setError] = useState<string | null>(null);
  const pinId = useId();
  const [busy, setBusy] = useState(false);

  const submit = () => {
    const fields = { type, content, tags: parseTags(tags), pinned };
    const checked = NewBrainEntry.safeParse(fields);
    if (!checked.success) {
      setError(
        content.trim() === '' ? 'Enter some text.' : (checked.error.issues[0]?.message ?? 'The entry is not valid.'),
      );
      return;
    }
    setBusy(true);
    const saving = onSubmit(fields).finally(() => setBusy(false));
    draft.save(saving, { whileOpen: onClose, failure: 'The entry could not be saved' });
  };
  const onFormSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    submit();
  };

  return (
    <form
      onSubmit={onFormSubmit}
      className="flex flex-col gap-3 rounded-xl border border-line bg-raised p-3.5 shadow-card"
    >
      <DraftNote draft={draft} />
      <Segmented
        label="Entry type"
        value={type}
        onChange={(next) => change({ type: next })}
        className="max-sm:w-full sm:self-start"
        options={brainTypes.map((value) => {
          const Icon = brainLook[value].icon;
          return {
            value,
            label: (
              <>
                <Icon aria-hidden className="size-3.5 max-sm:hidden" />
                {brainLook[value].label}
              </>
            ),
          };
        })}
      />
      <TextareaField
        label="Content"
        hideLabel
        autoFocus
        placeholder="What should this agent remember? Supports Markdown."
        value={content}
        error={error}
        onChange={(event) => {
          change({ content: event.target.value });
          setError(null);
        }}
        inputClass="max-h-96"
      />
      <div className="flex flex-wrap items-end gap-3">
        <TextField
          label="Tags"
          placeholder="release, api"
          value={tags}
          onChange={(event) => change({ tags: event.target.value })}
          className="flex-1 basis-48"
        />
        <label htmlFor={pinId} className="flex h-8 items-center gap-2 text-sm">
          <Checkbox id={pinId} checked={pinned} onChange={(event) => change({ pinned: event.target.checked })} />
          Pinned
        </label>
        <div className="ml-auto flex gap-2">
          <Button variant="ghost" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" variant="primary" busy={busy}>
            {submitLabel}
          </Button>
        </div>
      </div>
    </form>
  );
}
