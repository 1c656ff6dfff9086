import { useRef, useState } from 'react';
import { useAddSource, useSync } from '../../api/knowledge-queries.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { TextField } from '../../ui/input.tsx';
import { showError, showToast } from '../../ui/toast.tsx';
import { checkSource, type SourceForm, suggestName, toNewSource } from './new-source.ts';

export interface AddSourceDialogProps {
  type: SourceForm['type'];
  /** Labels of the sources there are. */
  taken: readonly string[];
  onClose: () => void;
}

const words = {
  filesystem: {
    title: 'Add a folder',
    description: 'Its documents are read now and can be synced again whenever they change.',
    place: 'Folder',
    example: '/home/ada/notes',
    hint: 'A path on the machine where the hub runs.',
  },
  git: {
    title: 'Add a repository',
    description: 'It is cloned by the git of this machine, with the access that git has.',
    place: 'Address',
    example: 'https://github.com/owner/repository.git',
    hint: 'Anything that “git clone” takes.',
  },
};

/** Adds a source and begins its first sync. */
export function AddSourceDialog({ type, taken, onClose }: AddSourceDialogProps) {
  const placeInput = useRef<HTMLInputElement>(null);
  const add = useAddSource();
  const sync = useSync();
  const [form, setForm] = useState(empty);
  const [ownName, setOwnName] = useState<string | null>(null);
  const [wasSent, setWasSent] = useState(false);
  const filled: SourceForm = { ...form, type, name: ownName ?? suggestName(form.place) };
  // Once it is there its own name must not look taken while the dialog closes.
  const problems = wasSent && !add.isSuccess ? checkSource(filled, taken) : {};
  const text = words[type];
  const field = (name: Exclude<keyof SourceForm, 'type' | 'name'>) => ({
    value: form[name],
    error: problems[name] ?? null,
    autoComplete: 'off',
    autoCapitalize: 'none',
    spellCheck: false,
    onChange: (event: { currentTarget: HTMLInputElement }) => setForm({ ...form, [name]: event.currentTarget.value }),
  });

  const onSubmit = () => {
    setWasSent(true);
    if (add.isPending || Object.keys(checkSource(filled, taken)).length > 0) return;
    add.mutate(toNewSource(filled), {
      onSuccess: (source) => {
        showToast(`Added “${source.name}”; its first sync has begun`);
        sync.mutate({ target: source.source }, { onError: (error) => showError('Not synced', error) });
        onClose();
      },
    });
  };

  return (
    <FormDialog
      onClose={onClose}
      title={text.title}
      description={text.description}
      initialFocus={placeInput}
      submit="Add and sync"
      onSubmit={onSubmit}
      request={add}
    >
      <TextField
        ref={placeInput}
        label={text.place}
        placeholder={text.example}
        hint={text.hint}
        inputClass="font-mono"
        {...field('place')}
      />
      <TextField
        label="Name"
        value={filled.name}
        maxLength={64}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        hint="How agents and filters call it. It cannot change later."
        error={problems.name ?? null}
        onChange={(event) => setOwnName(event.currentTarget.value)}
      />
      {type === 'git' && (
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField label="Branch" placeholder="the repository's own default" {...field('branch')} />
          <TextField label="Folder inside" placeholder="the whole repository" {...field('root')} />
        </div>
      )}
      <details className="rounded-xl border border-line px-3.5 py-2.5">
        <summary className="w-fit rounded-md text-muted text-sm hover:text-text">What to read, and tags</summary>
        <div className="mt-3 flex flex-col gap-4">
          <TextField
            label="Only files that match"
            placeholder="**/*.md, docs/**"
            hint="Patterns, separated by commas. Empty: everything that can be read."
            inputClass="font-mono"
            {...field('include')}
          />
          <TextField label="But not" placeholder="**/drafts/**" inputClass="font-mono" {...field('exclude')} />
          <TextField
            label="Tags"
            placeholder="ops, runbook"
            hint="Every document of this source gets them; searches can ask for them."
            {...field('tags')}
          />
        </div>
      </details>
    </FormDialog>
  );
}

const empty = { place: '', branch: '', root: '', include: '', exclude: '', tags: '' };
