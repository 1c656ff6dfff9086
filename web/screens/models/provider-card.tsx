import { CircleAlert, CircleCheck, KeyRound, List, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { ProviderInfo } from '../../../src/models/language-models.ts';
import { useSetProviderKey } from '../../api/provider-queries.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { confirm } from '../../ui/confirm.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { showError, showToast } from '../../ui/toast.tsx';
import { keyAction, keyWords, typeNames } from './describe-provider.ts';
import { KeyDialog } from './key-dialog.tsx';
import { ModelNames } from './model-names.tsx';

export function ProviderCard({ provider }: { provider: ProviderInfo }) {
  const { name, type, baseUrl, key, isReady, hint } = provider;
  const [isAsking, setIsAsking] = useState(false);
  const [isListing, setIsListing] = useState(false);
  const setKey = useSetProviderKey(name);
  const action = keyAction(provider);
  const remove = async () => {
    const sure = await confirm({
      title: `Remove the key of “${name}”?`,
      message: 'The hub forgets it. Agents with its models do not run until there is another one.',
      confirmLabel: 'Remove the key',
      danger: true,
    });
    if (!sure) return;
    setKey.mutate(null, {
      onSuccess: () => {
        setIsListing(false);
        showToast(`The key of “${name}” is removed`);
      },
      onError: (error) => showError('The key was not removed', error),
    });
  };
  return (
    <section aria-label={name} className="rounded-card border border-line bg-surface shadow-card">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2.5 px-4 py-3.5">
        <div className="min-w-0 flex-1 basis-56">
          <h2 className="flex flex-wrap items-center gap-x-2.5 gap-y-1 font-semibold text-base">
            <span className="break-all">{name}</span>
            {isReady ? (
              <Badge tone="accent" icon={<CircleCheck aria-hidden />}>
                ready
              </Badge>
            ) : (
              <Badge icon={<CircleAlert aria-hidden />}>not set up</Badge>
            )}
          </h2>
          <p className="mt-0.5 flex flex-wrap gap-x-2 text-muted text-xs">
            <span>{typeNames[type]}</span>
            <span aria-hidden>·</span>
            <span>{keyWords(provider)}</span>
            {baseUrl && (
              <>
                <span aria-hidden>·</span>
                <code className="min-w-0 break-all font-mono text-2xs leading-4.5">{baseUrl}</code>
              </>
            )}
          </p>
        </div>
        <div className="flex flex-wrap items-center gap-1.5">
          {isReady && (
            <Button
              icon={<List aria-hidden />}
              aria-expanded={isListing}
              aria-label={`${isListing ? 'Hide' : 'List'} models of ${name}`}
              onClick={() => setIsListing(!isListing)}
            >
              {isListing ? 'Hide models' : 'List models'}
            </Button>
          )}
          {action && (
            <Button
              variant={key === 'none' ? 'primary' : 'secondary'}
              icon={<KeyRound aria-hidden />}
              aria-label={`${action} of ${name}`}
              onClick={() => setIsAsking(true)}
            >
              {action}
            </Button>
          )}
          {key === 'vault' && (
            <IconButton
              label={`Remove the key of ${name}`}
              icon={<Trash2 aria-hidden />}
              disabled={setKey.isPending}
              onClick={() => void remove()}
            />
          )}
        </div>
        {!isReady && hint && (
          <p className="basis-full text-pretty text-muted text-sm [overflow-wrap:anywhere]">{hint}</p>
        )}
      </div>
      {isReady && isListing && <ModelNames provider={name} />}
      {isAsking && (
        <KeyDialog
          provider={provider}
          onClose={() => setIsAsking(false)}
          onStored={() => {
            setIsAsking(false);
            setIsListing(true);
          }}
        />
      )}
    </section>
  );
}
