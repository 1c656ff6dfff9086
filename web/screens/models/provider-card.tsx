import { CircleAlert, CircleCheck, KeyRound, List, RotateCw, Trash2, TriangleAlert } from 'lucide-react';
import { useId, useRef, useState } from 'react';
import type { ProviderInfo } from '../../../src/models/language-models.ts';
import { useProviderModels, useSetProviderKey } from '../../api/provider-queries.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { confirm } from '../../ui/confirm.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { errorText } from '../../ui/error-state.tsx';
import { Field } from '../../ui/field.tsx';
import { formatCount } from '../../ui/format-count.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { Input } from '../../ui/input.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { showError, showToast } from '../../ui/toast.tsx';
import { keyAction, keyPromise, keyWords, modelNames, typeNames } from './describe-provider.ts';

export function ProviderCard({ provider }: { provider: ProviderInfo }) {
  const { name, type, baseUrl, key, isReady, hint } = provider;
  const [isAsking, setIsAsking] = useState(false);
  const [isListing, setIsListing] = useState(false);
  const setKey = useSetProviderKey(provider);
  const action = keyAction(provider);
  const remove = async () => {
    const sure = await confirm({
      title: `Remove ${name}'s key?`,
      message: 'The hub deletes the key. Agents that use its models stop running until you set another one.',
      confirmLabel: 'Remove',
      danger: true,
    });
    if (!sure) return;
    setKey.mutate(null, {
      onSuccess: () => {
        setIsListing(false);
        showToast(`Removed ${name}'s key`);
      },
      onError: (error) => showError('The key could not be removed', error),
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
                Ready
              </Badge>
            ) : (
              <Badge icon={<CircleAlert aria-hidden />}>Not set up</Badge>
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
              aria-label={`${isListing ? 'Hide' : 'List'} models from ${name}`}
              onClick={() => setIsListing(!isListing)}
            >
              {isListing ? 'Hide models' : 'List models'}
            </Button>
          )}
          {action && (
            <Button
              variant={key === 'none' ? 'primary' : 'secondary'}
              icon={<KeyRound aria-hidden />}
              aria-label={`${action} for ${name}`}
              onClick={() => setIsAsking(true)}
            >
              {action}
            </Button>
          )}
          {key === 'vault' && (
            <IconButton
              label={`Remove ${name}'s key`}
              icon={<Trash2 aria-hidden />}
              disabled={setKey.isPending}
              onClick={() => void remove()}
            />
          )}
        </div>
        {hint && <p className="basis-full text-pretty text-muted text-sm [overflow-wrap:anywhere]">{hint}</p>}
      </div>
      {isReady && isListing && <ModelNames provider={name} />}
      {isAsking && (
        <KeyDialog
          provider={provider}
          onClose={() => setIsAsking(false)}
          onSaved={() => {
            setIsAsking(false);
            setIsListing(true);
          }}
        />
      )}
    </section>
  );
}

interface KeyDialogProps {
  provider: ProviderInfo;
  onClose: () => void;
  onSaved: () => void;
}

/** Asks for a key, which is never shown again. */
function KeyDialog({ provider, onClose, onSaved }: KeyDialogProps) {
  const setKey = useSetProviderKey(provider);
  const [key, setKeyText] = useState('');
  const input = useRef<HTMLInputElement>(null);
  const form = useId();
  const save = () => {
    if (key.trim() === '' || setKey.isPending) return;
    setKey.mutate(key.trim(), {
      onSuccess: ({ isReady, hint }) => {
        showToast(`Saved ${provider.name}'s key`, !isReady && hint ? { description: hint } : {});
        onSaved();
      },
    });
  };
  return (
    <Dialog
      open
      onClose={onClose}
      size="sm"
      title={`${provider.name}'s API key`}
      description={keyPromise(provider)}
      staysOnClickOutside={key !== ''}
      initialFocus={input}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={form} variant="primary" busy={setKey.isPending} disabled={key.trim() === ''}>
            Save key
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
              // Keeps browsers from saving the API key as this site's password.
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

/** The maximum number of names shown. A search finds the others. */
const maxShown = 200;

/** Lists the models the provider reports, which proves that its key works.  */
function ModelNames({ provider }: { provider: string }) {
  const { data, error, refetch, isFetching } = useProviderModels(provider, true);
  const [query, setQuery] = useState('');
  const names = modelNames(provider, data ?? [], query);
  return (
    <div className="border-line border-t px-4 py-3">
      {isFetching && !data ? (
        <div role="status" aria-busy="true" aria-label="Loading models" className="flex flex-col gap-2">
          <Skeleton className="h-4 w-1/3" />
          <Skeleton className="h-4 w-2/5" />
          <Skeleton className="h-4 w-1/4" />
        </div>
      ) : error ? (
        <div role="alert" className="flex flex-wrap items-center gap-x-3 gap-y-2 text-danger text-sm">
          <TriangleAlert aria-hidden className="size-4 shrink-0" />
          <p className="min-w-0 flex-1 basis-60 text-pretty [overflow-wrap:anywhere]">{errorText(error)}</p>
          <Button size="sm" icon={<RotateCw aria-hidden />} busy={isFetching} onClick={() => void refetch()}>
            Try again
          </Button>
        </div>
      ) : data?.length === 0 ? (
        <p className="text-muted text-sm">Connected, but the provider lists no models.</p>
      ) : (
        <>
          <div className="mb-2 flex items-center gap-3">
            <p role="status" className="flex-1 text-muted text-xs">
              Connected: {formatCount(data?.length ?? 0, 'model')}
            </p>
            {(data?.length ?? 0) > 8 && (
              <Input
                type="search"
                aria-label={`Search ${provider}'s models`}
                placeholder="Search models"
                value={query}
                onChange={(event) => setQuery(event.target.value)}
                className="max-w-52"
              />
            )}
          </div>
          <ul
            aria-label={`Models from ${provider}`}
            className="max-h-80 overflow-y-auto rounded-lg border border-line bg-sunken/40"
          >
            {names.slice(0, maxShown).map((name) => (
              <li key={name} className="flex items-center gap-2 border-line border-t px-2.5 py-0.5 first:border-t-0">
                <code className="min-w-0 flex-1 break-all font-mono text-xs">{name}</code>
                <CopyButton iconOnly label={`Copy ${name}`} text={name} />
              </li>
            ))}
            {names.length === 0 && <li className="px-2.5 py-2 text-muted text-sm">No models match.</li>}
            {names.length > maxShown && (
              <li className="border-line border-t px-2.5 py-1.5 text-faint text-xs">
                and {(names.length - maxShown).toLocaleString('en')} more. Search to find them.
              </li>
            )}
          </ul>
        </>
      )}
    </div>
  );
}
