import { FolderOpen } from 'lucide-react';
import { useRef, useState } from 'react';
import { maskAddress } from '../../../src/servers/mask-secrets.ts';
import { useAddSource, useSync } from '../../api/knowledge-queries.ts';
import { DraftNote } from '../../parts/drafts/draft-note.tsx';
import { useFormDraft } from '../../parts/drafts/use-form-draft.ts';
import { FolderBrowser } from '../../parts/folders/folder-browser.tsx';
import { Button } from '../../ui/button.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { TextField } from '../../ui/input.tsx';
import { showError, showToast } from '../../ui/toast.tsx';
import { checkSource, type SourceForm, suggestName, toNewSource } from './new-source.ts';

export interface AddSourceDialogProps {
  type: SourceForm['type'];
  /** Labels of existing sources. */
  taken: readonly string[];
  onClose: () => void;
}

const texts = {
  filesystem: {
    title: 'Add folder',
    description: 'The hub reads its documents now. Sync again when they change.',
    location: 'Folder',
    example: '/home/ada/notes',
    hint: 'A path on the machine that runs the hub.',
  },
  git: {
    title: 'Add repository',
    description: 'Cloned with the git and credentials of the machine that runs the hub.',
    location: 'URL',
    example: 'https://github.com/owner/repository.git',
    hint: 'An https, http or ssh address, user@host:path, or a path on the hub’s machine.',
  },
};

/** Adds a source and starts its first sync. */
export function AddSourceDialog({ type, taken, onClose }: AddSourceDialogProps) {
  const locationInput = useRef<HTMLInputElement>(null);
  const add = useAddSource();
  const sync = useSync();
  const draft = useFormDraft(`source/${type}`, empty, { withoutSecrets: withoutPassword });
  const { typedName, ...form } = draft.value;
  const [wasSent, setWasSent] = useState(false);
  const [isBrowsing, setIsBrowsing] = useState(false);
  const filled: SourceForm = { ...form, type, name: typedName ?? suggestName(form.location) };
  // After success, the new source's name must not count as taken while the dialog closes.
  const problems = wasSent && !add.isSuccess ? checkSource(filled, taken) : {};
  const text = texts[type];
  const field = (name: Exclude<keyof SourceForm, 'type' | 'name'>) => ({
    value: form[name],
    error: problems[name] ?? null,
    autoComplete: 'off',
    autoCapitalize: 'none',
    spellCheck: false,
    onChange: (event: { currentTarget: HTMLInputElement }) =>
      draft.set({ ...draft.value, [name]: event.currentTarget.value }),
  });

  const onSubmit = () => {
    setWasSent(true);
    if (add.isPending || Object.keys(checkSource(filled, taken)).length > 0) return;
    draft.save(add.mutateAsync(toNewSource(filled)), {
      onSaved: (source) => {
        showToast(`Added “${source.name}”. Syncing now`);
        sync.mutateAsync({ target: source.source }).catch((error) => showError('The sync could not start', error));
      },
      whileOpen: onClose,
    });
  };

  return (
    <FormDialog
      onClose={onClose}
      title={text.title}
      description={text.description}
      initialFocus={locationInput}
      submit="Add and sync"
      onSubmit={onSubmit}
      request={add}
    >
      <DraftNote draft={draft} />
      <div className="flex items-start gap-2">
        <TextField
          ref={locationInput}
          label={text.location}
          placeholder={text.example}
          hint={text.hint}
          className="flex-1"
          inputClass="font-mono"
          {...field('location')}
        />
        {type === 'filesystem' && (
          // Beside the input, below its label.
          <Button
            className="mt-6.5 max-md:h-10"
            icon={<FolderOpen aria-hidden />}
            aria-expanded={isBrowsing}
            onClick={() => setIsBrowsing(!isBrowsing)}
          >
            Browse
          </Button>
        )}
      </div>
      {isBrowsing && (
        <FolderBrowser start={form.location} onPick={(location) => draft.set({ ...draft.value, location })} />
      )}
      <TextField
        label="Name"
        value={filled.name}
        maxLength={64}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        hint="Used by agents and filters. You cannot change it later."
        error={problems.name ?? null}
        onChange={(event) => draft.set({ ...draft.value, typedName: event.currentTarget.value })}
      />
      {type === 'git' && (
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField label="Branch" placeholder="Default branch" {...field('branch')} />
          <TextField label="Subfolder" placeholder="Whole repository" {...field('root')} />
        </div>
      )}
      <details className="rounded-xl border border-line px-3.5 py-2.5">
        <summary className="w-fit rounded-md text-muted text-sm hover:text-text">
          {type === 'git' ? 'Files, tags and network' : 'Files and tags'}
        </summary>
        <div className="mt-3 flex flex-col gap-4">
          <TextField
            label="Include"
            placeholder="**/*.md, docs/**"
            hint="Patterns, separated by commas. Leave empty for all readable files."
            inputClass="font-mono"
            {...field('include')}
          />
          <TextField label="Exclude" placeholder="**/drafts/**" inputClass="font-mono" {...field('exclude')} />
          <TextField
            label="Tags"
            placeholder="ops, runbook"
            hint="Added to every document in this source. Searches can filter by them."
            {...field('tags')}
          />
          {type === 'git' && (
            <TextField
              label="Private hosts"
              placeholder="git.corp.example"
              hint="Only for a repository in your own network. Repositories at public addresses need none."
              {...field('allowHosts')}
            />
          )}
        </div>
      </details>
    </FormDialog>
  );
}

const empty = {
  location: '',
  branch: '',
  root: '',
  include: '',
  exclude: '',
  tags: '',
  allowHosts: '',
  typedName: null as string | null,
};

/** A repository's address may contain a password. */
function withoutPassword(form: typeof empty): typeof empty {
  return { ...form, location: maskAddress(form.location, () => '') };
}
