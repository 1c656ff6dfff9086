import { type SubmitEvent, useId, useState } from 'react';
import { type BrainEntryType, NewBrainEntry } from '../../../../src/brain/brain.ts';
import { Button } from '../../../ui/button.tsx';
import { Checkbox } from '../../../ui/checkbox.tsx';
import { TextField } from '../../../ui/input.tsx';
import { Segmented } from '../../../ui/segmented.tsx';
import { TextareaField } from '../../../ui/textarea.tsx';
import { showError } from '../../../ui/toast.tsx';
import { brainLook, brainTypes } from './brain-look.tsx';
import { parseTags } from './brain-timeline.ts';

export interface BrainEntryFields {
  type: BrainEntryType;
  content: string;
  tags: string[];
  pinned: boolean;
}

export interface BrainEntryFormProps {
  start: BrainEntryFields;
  submitLabel: string;
  onSubmit: (fields: BrainEntryFields) => Promise<unknown>;
  onClose: () => void;
}

export function BrainEntryForm({ start, submitLabel, onSubmit, onClose }: BrainEntryFormProps) {
  const [type, setType] = useState(start.type);
  const [content, setContent] = useState(start.content);
  const [tags, setTags] = useState(start.tags.join(', '));
  const [pinned, setPinned] = useState(start.pinned);
  const [error, setError] = useState<string | null>(null);
  const pinId = useId();
  const [busy, setBusy] = useState(false);

  const submit = async () => {
    const fields = { type, content, tags: parseTags(tags), pinned };
    const checked = NewBrainEntry.safeParse(fields);
    if (!checked.success) {
      setError(
        content.trim() === '' ? 'Enter some text.' : (checked.error.issues[0]?.message ?? 'The entry is not valid.'),
      );
      return;
    }
    setBusy(true);
    try {
      await onSubmit(fields);
      onClose();
    } catch (problem) {
      showError('The entry could not be saved', problem);
      setBusy(false);
    }
  };
  const onFormSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    void submit();
  };

  return (
    <form
      onSubmit={onFormSubmit}
      className="flex flex-col gap-3 rounded-xl border border-line bg-raised p-3.5 shadow-card"
    >
      <Segmented
        label="Entry type"
        value={type}
        onChange={setType}
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
          setContent(event.target.value);
          setError(null);
        }}
        inputClass="max-h-96"
      />
      <div className="flex flex-wrap items-end gap-3">
        <TextField
          label="Tags"
          placeholder="release, api"
          value={tags}
          onChange={(event) => setTags(event.target.value)}
          className="flex-1 basis-48"
        />
        <label htmlFor={pinId} className="flex h-8 items-center gap-2 text-sm">
          <Checkbox id={pinId} checked={pinned} onChange={(event) => setPinned(event.target.checked)} />
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
