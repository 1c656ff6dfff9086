import { useState } from 'react';
import type { ProviderInfo } from '../../../src/models/language-models.ts';
import { useDefaultModel, useSetDefaultModel } from '../../api/provider-queries.ts';
import type { ProviderDraft } from '../../parts/models/provider-draft.ts';
import { ProviderForm } from '../../parts/models/provider-form.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { showToast } from '../../ui/toast.tsx';

export interface ProviderDialogProps {
  /** The provider to change; without it, one is added. */
  provider?: Pick<ProviderInfo, 'name' | 'type' | 'baseUrl'> | undefined;
  onClose: () => void;
}

/** Adds or changes a provider, and offers to make one of its models the default. */
export function ProviderDialog({ provider, onClose }: ProviderDialogProps) {
  const { data: before } = useDefaultModel();
  const setDefault = useSetDefaultModel();
  const [isConnected, setIsConnected] = useState(false);
  const first: Partial<ProviderDraft> | undefined = provider && {
    type: provider.type,
    name: provider.name,
    address: provider.baseUrl ?? '',
  };
  const isSetInConfig = before?.from === 'config';
  return (
    <Dialog
      open
      onClose={onClose}
      title={provider ? `Change ${provider.name}` : 'Add a provider'}
      description="The hub tests the provider before it shows it as working."
      staysOnClickOutside
      footer={<Button onClick={onClose}>{isConnected ? 'Done' : 'Cancel'}</Button>}
    >
      <ProviderForm
        first={first}
        useLabel={isSetInConfig ? 'Test model' : 'Make default'}
        onConnected={() => setIsConnected(true)}
        onModel={async (model) => {
          if (!isSetInConfig) await setDefault.mutateAsync(model);
          showToast(isSetInConfig ? `${model} answered` : `${model} is the default model`);
          onClose();
        }}
      />
    </Dialog>
  );
}
