import { useId, useRef, useState } from 'react';
import type { ProviderInfo } from '../../../src/models/language-models.ts';
import { useSetProviderKey } from '../../api/provider-queries.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { errorText } from '../../ui/error-state.tsx';
import { Field } from '../../ui/field.tsx';
import { Input } from '../../ui/input.tsx';
import { showToast } from '../../ui/toast.tsx';

export interface KeyDialogProps {
  provider: ProviderInfo;
  onClose: () => void;
  onStored: () => void;
}

/** Takes a key once; nobody sees it again, not here either. */
export function KeyDialog({ provider, onClose, onStored }: KeyDialogProps) {
  const setKey = useSetProviderKey(provider.name);
  const [key, setKeyText] = useState('');
  const input = useRef<HTMLInputElement>(null);
  const form = useId();
  const save = () => {
    if (key.trim() === '' || setKey.isPending) return;
    setKey.mutate(key.trim(), {
      onSuccess: ({ isReady, hint }) => {
        showToast(`The key of “${provider.name}” is stored`, !isReady && hint ? { description: hint } : {});
        onStored();
      },
    });
  };
  return (
    <Dialog
      open
      onClose={onClose}
      size="sm"
      title={`Key of ${provider.name}`}
      description="It is kept encrypted and is never shown again. One in the config or the environment comes first."
      staysOnClickOutside={key !== ''}
      initialFocus={input}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={form} variant="primary" busy={setKey.isPending} disabled={key.trim() === ''}>
            Store the key
          </Button>
        </>
      }
    >
      <form
        id={form}
        autoComplete="off"
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <Field label="API key" error={setKey.error ? errorText(setKey.error) : null}>
          {(parts) => (
            <Input
              {...parts}
              ref={input}
              type="password"
              // Browsers offer to keep a password; a key of an API is none of this site.
              autoComplete="new-password"
              spellCheck={false}
              maxLength={10_000}
              value={key}
              onChange={(event) => setKeyText(event.target.value)}
            />
          )}
        </Field>
      </form>
    </Dialog>
  );
}
