import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { useCreateKey } from '../../api/access-queries.ts';
import { SecretDialog } from '../../parts/access/secret-dialog.tsx';
import { AgentCombobox } from '../../parts/agents/agent-combobox.tsx';
import { DraftNote } from '../../parts/drafts/draft-note.tsx';
import { useFormDraft } from '../../parts/drafts/use-form-draft.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { TextField } from '../../ui/input.tsx';

export interface CreateKeyDialogProps {
  onClose: () => void;
  onCreated: (key: { name: string; secret: string }) => void;
}

export function CreateKeyDialog({ onClose, onCreated }: CreateKeyDialogProps) {
  const create = useCreateKey();
  const draft = useFormDraft('key/new', { name: '', agent: '' });
  const { name, agent } = draft.value;
  const [isTried, setIsTried] = useState(false);
  const problem = name.trim() === '' ? 'Name the client or script that uses the key.' : undefined;
  const submit = () => {
    setIsTried(true);
    if (problem !== undefined) return;
    draft.save(create.mutateAsync({ name: name.trim(), agent: agent || null }), {
      // Even if the dialog was closed: the key is shown only now.
      onSaved: ({ key, secret }) => onCreated({ name: key.name, secret }),
    });
  };
  return (
    <FormDialog
      title="Create a key"
      description="For one MCP client or script. Give each its own, so that you can revoke them one by one."
      submit="Create key"
      submitIcon={<KeyRound aria-hidden />}
      onSubmit={submit}
      onClose={onClose}
      request={create}
      failure="The key could not be created. "
    >
      <DraftNote draft={draft} />
      <TextField
        label="Name"
        placeholder="Nightly report"
        maxLength={80}
        autoComplete="off"
        value={name}
        onChange={(event) => draft.set({ name: event.target.value, agent })}
        hint="It appears in the log and in the list of keys."
        error={isTried ? problem : undefined}
      />
      <AgentCombobox
        label="Agents"
        hint="A key for one agent sees nothing else."
        none="All agents"
        value={agent}
        onChange={(next) => draft.set({ name, agent: next })}
      />
    </FormDialog>
  );
}

/** Shows the key once. */
export function NewKeyDialog({ name, secret, onClose }: { name: string; secret: string; onClose: () => void }) {
  return (
    <SecretDialog title={`The key of ${name}`} what="key" secret={secret} onClose={onClose}>
      <p className="text-muted text-sm">
        Send it with each request: <code className="font-mono text-xs">Authorization: Bearer KEY</code>
      </p>
    </SecretDialog>
  );
}
