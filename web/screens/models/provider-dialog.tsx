import { type ReactNode, useRef, useState } from 'react';
import type { ProviderInfo } from '../../../src/models/language-models.ts';
import { useDefaultModel, useSetDefaultModel } from '../../api/provider-queries.ts';
import { DraftNote } from '../../parts/drafts/draft-note.tsx';
import { useFormDraft } from '../../parts/drafts/use-form-draft.ts';
import { KeyInput, mayLoseKey } from '../../parts/models/key-input.tsx';
import { ProviderForm } from '../../parts/models/provider-form.tsx';
import { ChangeDialog } from '../../parts/settings/change-dialog.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { TextField } from '../../ui/input.tsx';
import { showToast } from '../../ui/toast.tsx';

export interface ProviderDialogProps {
  /** The provider to change; without it, one is added. */
  provider?: Pick<ProviderInfo, 'name' | 'type' | 'baseUrl'> | undefined;
  onClose: () => void;
}

/** Adds or changes a provider, and offers to make one of its models the default. */
export function ProviderDialog({ provider, onClose }: ProviderDialogProps) {
  const { data: shown, refetch } = useDefaultModel();
  const setDefault = useSetDefaultModel();
  const [isConnected, setIsConnected] = useState(false);
  const hasKey = useRef(false);
  const isSetInConfig = shown?.from === 'config';
  const close = async () => {
    if (await mayLoseKey(hasKey.current)) onClose();
  };
  return (
    <Dialog
      open
      onClose={() => void close()}
      title={provider ? `Change ${provider.name}` : 'Add provider'}
      description="Connect it, then choose a model to test it with."
      staysOnClickOutside
      footer={<Button onClick={() => void close()}>{isConnected ? 'Done' : 'Close'}</Button>}
    >
      <ProviderForm
        first={provider && { type: provider.type, address: provider.baseUrl ?? '' }}
        changing={provider?.name}
        useLabel={isSetInConfig ? 'Test model' : 'Make default'}
        onConnected={() => setIsConnected(true)}
        onSavedAnyway={(name) => {
          showToast(`Saved ${name}`, { description: 'It has not answered yet. Test it once it should work.' });
          onClose();
        }}
        onKey={(isTyped) => {
          hasKey.current = isTyped;
        }}
        onModel={async (model) => {
          const before = shown ?? (await refetch({ throwOnError: true })).data;
          const isTest = before?.from === 'config';
          if (before && !isTest) await setDefault.mutateAsync({ model, version: before.version });
          showToast(isTest ? `${model} answered` : `${model} is the default model`);
          onClose();
        }}
      />
    </Dialog>
  );
}

/** Changes a provider in the config file. */
export function FileProviderDialog({ provider, onClose }: { provider: ProviderInfo; onClose: () => void }) {
  const { name, type, baseUrl } = provider;
  const typed = useFormDraft(
    `provider/${name}`,
    { address: baseUrl ?? '', key: '' },
    { withoutSecrets: (value) => ({ ...value, key: '' }) },
  );
  const { address, key } = typed.value;
  const isSaved = useRef(false);
  const close = async () => {
    if (await mayLoseKey(key !== '' && !isSaved.current)) onClose();
  };
  return (
    <ChangeDialog
      title={`Change ${name}`}
      description="This provider is set in the config file. You see the change before it is written."
      submit="Show the change"
      change={() => ({
        kind: 'provider',
        name,
        provider: {
          type,
          ...(address.trim() !== '' && { baseUrl: address.trim() }),
          ...(key.trim() !== '' && { key: key.trim() }),
        },
      })}
      draft={{
        save: (request, saving) =>
          typed.save(request, {
            ...saving,
            onSaved: (reply) => {
              isSaved.current = true;
              saving.onSaved?.(reply);
            },
          }),
      }}
      onClose={() => void close()}
    >
      <TextField
        label="Address"
        value={address}
        inputMode="url"
        spellCheck={false}
        autoCapitalize="none"
        autoComplete="off"
        onChange={(event) => typed.set({ ...typed.value, address: event.target.value })}
      />
      {type !== 'ollama' && (
        <Field label="API key" hint={keyHint(provider)}>
          {(parts) => (
            <KeyInput
              {...parts}
              value={key}
              onChange={(event) => typed.set({ ...typed.value, key: event.target.value })}
            />
          )}
        </Field>
      )}
      <DraftNote draft={typed} />
    </ChangeDialog>
  );
}

function keyHint({ key }: ProviderInfo): ReactNode {
  const how = 'A new key is stored encrypted in the hub, not in the file';
  return key === 'config'
    ? `Leave empty to keep it. ${how}; api_key is removed from the file. To use an environment variable, enter \${NAME}.`
    : `Leave empty to keep it. ${how}.`;
}
