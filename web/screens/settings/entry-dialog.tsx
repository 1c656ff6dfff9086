import { type ReactNode, useState } from 'react';
import { PeerName, WebhookName } from '../../../src/base/entry-names.ts';
import { fieldIssues } from '../../../src/base/validate.ts';
import { mask, maskAddress } from '../../../src/servers/mask-secrets.ts';
import type { PeerBody, SettingsBody, WebhookBody } from '../../../src/settings/app-settings.ts';
import { type SettingsChange, useSettings } from '../../api/settings-queries.ts';
import { DraftNote } from '../../parts/drafts/draft-note.tsx';
import { useFormDraft } from '../../parts/drafts/use-form-draft.ts';
import { mayLoseKey } from '../../parts/models/key-input.tsx';
import { ChangeDialog } from '../../parts/settings/change-dialog.tsx';
import { TextField } from '../../ui/input.tsx';

const kinds = {
  webhook: { rule: WebhookName, variable: 'WEBHOOK_SECRET', secret: 'secret' },
  peer: { rule: PeerName, variable: 'PEER_TOKEN', secret: 'token' },
} as const;

export interface EntryFields {
  name: string;
  url: string;
}

export interface EntryDialogProps<F extends EntryFields> {
  kind: keyof typeof kinds;
  entry: WebhookBody | PeerBody | undefined;
  names: readonly string[];
  /** Without secrets, which are never kept. */
  start: F;
  description: string;
  placeholders: EntryFields;
  nameHint?: string;
  /** Whether a secret was entered that closing would lose. */
  isSecretTyped: boolean;
  /** Whether the fields below are valid. */
  isValid: (fields: F) => boolean;
  /** Returns the change; `seen` is the version that it is made for. */
  change: (fields: F, seen: number | null) => SettingsChange;
  /** The fields below name and address. `isTried` tells that problems are to be shown, `isRestored` that there was a draft. */
  children: (form: { fields: F; set: (next: F) => void; isTried: boolean; isRestored: boolean }) => ReactNode;
}

/** Adds or changes a webhook or a peer. */
export function EntryDialog<F extends EntryFields>({
  onClose,
  ...props
}: EntryDialogProps<F> & { onClose: () => void }) {
  const { kind, entry, names, description, placeholders } = props;
  const [seen] = useState(entry?.version ?? null);
  const [start] = useState(props.start);
  const [isTried, setIsTried] = useState(false);
  const draft = useFormDraft(`setting/${kind}/${entry?.name ?? ''}`, start, {
    base: JSON.stringify([seen, start]),
    // A password or a token in an address is a secret.
    withoutSecrets: (fields) => ({ ...fields, url: maskAddress(fields.url) === fields.url ? fields.url : start.url }),
  });
  const { value: fields, set } = draft;
  const problems = {
    name: entry ? undefined : nameProblem(kind, fields.name.trim(), names),
    url: urlProblem(fields.url.trim(), entry?.url),
  };
  const shown = isTried ? problems : { name: undefined, url: undefined };
  return (
    <ChangeDialog
      title={entry ? `Edit ${entry.name}` : `Add ${kind}`}
      description={description}
      submit={entry ? 'Save' : `Add ${kind}`}
      change={() => {
        setIsTried(true);
        if (problems.name ?? problems.url ?? !props.isValid(fields)) return null;
        return props.change({ ...fields, name: fields.name.trim(), url: fields.url.trim() }, seen);
      }}
      draft={draft}
      onClose={onClose}
      mayClose={props.isSecretTyped ? () => mayLoseKey(true, kinds[kind].secret) : undefined}
    >
      <DraftNote draft={draft} />
      {!entry && (
        <TextField
          label="Name"
          placeholder={placeholders.name}
          maxLength={64}
          autoComplete="off"
          value={fields.name}
          onChange={(event) => set({ ...fields, name: event.target.value })}
          hint={props.nameHint}
          error={shown.name}
        />
      )}
      <TextField
        label="Address"
        type="url"
        placeholder={placeholders.url}
        autoComplete="off"
        value={fields.url}
        onChange={(event) => set({ ...fields, url: event.target.value })}
        hint={
          entry?.url.includes(mask)
            ? 'Its secrets are hidden and kept. To change the address, enter the whole new one.'
            : undefined
        }
        error={shown.url}
      />
      {props.children({ fields, set, isTried, isRestored: draft.restored !== null })}
    </ChangeDialog>
  );
}

/** Says where a secret that is entered for an entry goes. */
export function useSecretHint(kind: keyof typeof kinds, entry: WebhookBody | PeerBody | undefined): string {
  const file: SettingsBody['file'] = useSettings().data?.file ?? null;
  if (entry?.origin.kind !== 'file' || file === null) return 'It is stored encrypted and not shown again.';
  const variable = `\${${kinds[kind].variable}}`;
  return file.folder === null
    ? `It is written to ${file.name} as you enter it. To keep it out of the file, enter a variable such as ${variable}.`
    : `${file.name} is in a working folder, so secrets are not written there. Enter a variable such as ${variable}.`;
}

function nameProblem(kind: keyof typeof kinds, name: string, names: readonly string[]): string | undefined {
  const { error } = kinds[kind].rule.safeParse(name);
  if (error) return `The name ${fieldIssues(error)[0]?.message ?? 'is not valid'}.`;
  return names.includes(name) ? 'This name is taken.' : undefined;
}

function urlProblem(url: string, before: string | undefined): string | undefined {
  if (!/^https?:\/\/\S+$/.test(url)) return 'Enter an address that begins with https:// or http://.';
  return url.includes(mask) && url !== before ? 'Enter the whole address, including its secrets.' : undefined;
}
