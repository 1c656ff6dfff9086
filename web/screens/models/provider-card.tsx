import {
  CircleAlert,
  CircleCheck,
  CircleDollarSign,
  CircleX,
  KeyRound,
  Link2,
  List,
  Pencil,
  PlugZap,
  Trash2,
} from 'lucide-react';
import { useId, useRef, useState } from 'react';
import type { ProviderInfo } from '../../../src/models/language-models.ts';
import {
  useConnectProvider,
  useRemoveProvider,
  useRemoveProviderKey,
  useSaveTrial,
  useTestProvider,
} from '../../api/provider-queries.ts';
import { keyAction, keyPromise, keyWords, missingWords, typeNames } from '../../parts/models/describe-provider.ts';
import { KeyInput, mayLoseKey } from '../../parts/models/key-input.tsx';
import { ProviderFailure } from '../../parts/models/provider-failure.tsx';
import { ChangeDialog } from '../../parts/settings/change-dialog.tsx';
import { deleteLater } from '../../parts/undo/delete-later.ts';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { confirm } from '../../ui/confirm.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { errorText } from '../../ui/error-state.tsx';
import { Field } from '../../ui/field.tsx';
import { formatCount } from '../../ui/format-count.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { showError, showToast } from '../../ui/toast.tsx';
import { FileBadge } from './choice-section.tsx';
import { ModelNames } from './model-names.tsx';
import { PriceList } from './price-list.tsx';
import { FileProviderDialog, ProviderDialog } from './provider-dialog.tsx';
import { SeenBadge } from './seen-badge.tsx';

export interface ProviderCardProps {
  provider: ProviderInfo;
  row: number;
  /** Called with the model whose price should be set. */
  onPrice: (model: string) => void;
}

export function ProviderCard({ provider, row, onPrice }: ProviderCardProps) {
  const { name, type, baseUrl, from, key, isReady, prices, seen } = provider;
  const missing = missingWords(provider);
  const [isPricing, setIsPricing] = useState(false);
  const [isAsking, setIsAsking] = useState(false);
  const [isListing, setIsListing] = useState(false);
  const [isEditing, setIsEditing] = useState(false);
  const [isRemoving, setIsRemoving] = useState(false);
  const test = useTestProvider();
  const removeProvider = useRemoveProvider();
  const removeKey = useRemoveProviderKey();
  const action = keyAction(provider);
  const removeLater = () =>
    deleteLater({
      keys: [`provider/${name}`],
      message: `Removed the provider “${name}”`,
      description:
        'It is in use until this notice closes. Its key and its prices are then deleted, and agents that use its models stop working.',
      isUrgent: true,
      carryOut: () => removeProvider.mutateAsync(name),
      failure: `The provider “${name}” could not be removed`,
    });
  const remove = async () => {
    const sure = await confirm({
      title: `Remove ${name}'s key?`,
      message: 'The hub deletes the key. Agents that use its models stop working until you set another one.',
      confirmLabel: 'Remove',
      danger: true,
    });
    if (!sure) return;
    removeKey.mutate(name, {
      onSuccess: () => {
        setIsListing(false);
        showToast(`Removed ${name}'s key`);
      },
      onError: (error) => showError('The key could not be removed', error),
    });
  };
  return (
    <section
      aria-label={name}
      data-row={row}
      tabIndex={-1}
      className="rounded-card border border-line bg-surface shadow-card"
    >
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2.5 px-4 py-3.5">
        <div className="min-w-0 flex-1 basis-56">
          <h2 className="flex flex-wrap items-center gap-x-2.5 gap-y-1 font-semibold text-base">
            <span className="break-all">{name}</span>
            <SeenBadge isReady={isReady} seen={seen} />
            {from === 'config' && <FileBadge />}
          </h2>
          <p className="mt-0.5 flex flex-wrap gap-x-3 text-muted text-xs">
            <span>{typeNames[type]}</span>
            <span>{keyWords(provider)}</span>
            {seen.state !== 'never' && (
              <span className="[overflow-wrap:anywhere]">
                {seen.state === 'worked' ? `${seen.model} answered` : seen.state === 'reached' ? 'Reached' : 'Failed'}{' '}
                <RelativeTime at={seen.at} />
                {seen.state !== 'failed' && seen.models !== null && `, ${formatCount(seen.models, 'model')}`}
              </span>
            )}
            {baseUrl && <code className="min-w-0 break-all font-mono text-2xs leading-4.5">{baseUrl}</code>}
          </p>
        </div>
        <div className="flex flex-wrap items-center gap-1.5">
          {isReady && (
            <Button
              icon={<PlugZap aria-hidden />}
              aria-label={`Test ${name}`}
              busy={test.isPending}
              onClick={() => test.mutate({ name })}
            >
              Test
            </Button>
          )}
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
          {(isReady || prices.length > 0) && (
            <Button
              icon={<CircleDollarSign aria-hidden />}
              aria-expanded={isPricing}
              aria-label={`${isPricing ? 'Hide' : 'Show'} prices of ${name}`}
              onClick={() => setIsPricing(!isPricing)}
            >
              {isPricing ? 'Hide prices' : 'Prices'}
            </Button>
          )}
          {action && (
            <Button
              icon={<KeyRound aria-hidden />}
              aria-label={`${action} for ${name}`}
              onClick={() => setIsAsking(true)}
            >
              {action}
            </Button>
          )}
          {baseUrl === null && (
            <Button
              icon={<Link2 aria-hidden />}
              aria-label={`Set address for ${name}`}
              onClick={() => setIsEditing(true)}
            >
              Set address
            </Button>
          )}
          {key === 'vault' && from !== 'app' && (
            <IconButton
              label={`Remove ${name}'s key`}
              icon={<Trash2 aria-hidden />}
              disabled={removeKey.isPending}
              onClick={() => void remove()}
            />
          )}
          {from !== 'built-in' && (
            <IconButton label={`Change ${name}`} icon={<Pencil aria-hidden />} onClick={() => setIsEditing(true)} />
          )}
          {from !== 'built-in' && (
            <IconButton
              label={`Remove ${name}`}
              icon={<Trash2 aria-hidden />}
              onClick={() => (from === 'config' ? setIsRemoving(true) : removeLater())}
            />
          )}
        </div>
        {missing !== null && (
          <p className="basis-full text-pretty text-muted text-sm [overflow-wrap:anywhere]">{missing}</p>
        )}
        <TestResult test={test} seen={seen} />
      </div>
      {isReady && isListing && <ModelNames provider={name} />}
      {isPricing && <PriceList provider={provider} onEdit={onPrice} />}
      {isEditing && from !== 'config' && <ProviderDialog provider={provider} onClose={() => setIsEditing(false)} />}
      {isEditing && from === 'config' && <FileProviderDialog provider={provider} onClose={() => setIsEditing(false)} />}
      {isRemoving && (
        <ChangeDialog
          title={`Remove ${name}?`}
          description="This removes the provider from the config file, and its key from the hub. Agents that use its models stop working."
          submit="Show the change"
          danger
          change={() => ({ kind: 'provider', name, provider: null })}
          onClose={() => setIsRemoving(false)}
        />
      )}
      {isAsking && (
        <KeyDialog
          provider={provider}
          onClose={() => setIsAsking(false)}
          onSaved={() => {
            setIsAsking(false);
            test.mutate({ name });
          }}
        />
      )}
    </section>
  );
}

interface TestResultProps {
  test: Pick<ReturnType<typeof useTestProvider>, 'data' | 'error' | 'isPending'>;
  seen: ProviderInfo['seen'];
}

/** Shows the steps of the test: the list of models, then the answer of one of them. */
function TestResult({ test: { data, error, isPending }, seen }: TestResultProps) {
  if (isPending) return null;
  const failure = error ? errorText(error) : data?.failure?.message;
  if (failure === undefined && !data)
    return seen.state === 'failed' ? (
      <p className="basis-full text-danger text-sm [overflow-wrap:anywhere]">{seen.message}</p>
    ) : null;
  const count = data?.listed?.models.length;
  return (
    <div className="flex basis-full flex-col gap-0.5 text-sm [overflow-wrap:anywhere] [&_svg]:mt-0.5 [&_svg]:size-4 [&_svg]:shrink-0">
      {count !== undefined && (
        <p className="flex gap-1.5 text-muted">
          <CircleCheck aria-hidden /> Lists {formatCount(count, 'model')}
        </p>
      )}
      {failure !== undefined ? (
        <p role="alert" className="flex gap-1.5 text-danger">
          <CircleX aria-hidden /> <span>{failure}</span>
        </p>
      ) : (
        <p role="status" className={classes('flex gap-1.5', data?.answeredBy ? 'text-accent-text' : 'text-muted')}>
          {data?.answeredBy ? <CircleCheck aria-hidden /> : <CircleAlert aria-hidden />}
          {data?.answeredBy
            ? `${data.answeredBy} answered in ${data.latencyMs.toLocaleString('en')} ms`
            : 'No models available'}
        </p>
      )}
    </div>
  );
}

interface KeyDialogProps {
  provider: ProviderInfo;
  onClose: () => void;
  onSaved: () => void;
}

/** Asks for a key, which is never shown again. */
function KeyDialog({ provider, onClose, onSaved }: KeyDialogProps) {
  const connect = useConnectProvider();
  const save = useSaveTrial();
  const [key, setKeyText] = useState('');
  const input = useRef<HTMLInputElement>(null);
  const form = useId();
  const { name, baseUrl } = provider;
  const trial = { kind: 'key' as const, key: key.trim(), ...(baseUrl !== null && { baseUrl }) };
  const failure = connect.data?.failure;
  const error = save.error ?? connect.error;
  // What is typed meanwhile would be lost with the reply.
  const isBusy = connect.isPending || save.isPending;
  const submit = () => {
    if (key.trim() === '' || isBusy) return;
    save.reset();
    connect.mutate(
      { name, trial },
      {
        onSuccess: ({ isSaved }) => {
          if (!isSaved) return;
          showToast(`Saved ${name}'s key`);
          onSaved();
        },
      },
    );
  };
  const saveAnyway = () => {
    if (isBusy) return;
    save.mutate(
      { name, trial },
      {
        onSuccess: ({ isReady, hint }) => {
          showToast(`Saved ${name}'s key`, !isReady && hint ? { description: hint } : {});
          onSaved();
        },
      },
    );
  };
  const close = async () => {
    if (await mayLoseKey(key.trim() !== '')) onClose();
  };
  return (
    <Dialog
      open
      onClose={() => void close()}
      size="sm"
      title={`${provider.name}'s API key`}
      description={keyPromise(provider)}
      staysOnClickOutside={key !== ''}
      initialFocus={input}
      footer={
        <>
          <Button onClick={() => void close()}>Cancel</Button>
          <Button type="submit" form={form} variant="primary" busy={isBusy} disabled={key.trim() === ''}>
            Save key
          </Button>
        </>
      }
    >
      <form
        id={form}
        autoComplete="off"
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <Field label="API key" error={error ? errorText(error) : null}>
          {(parts) => (
            <KeyInput
              {...parts}
              ref={input}
              value={key}
              readOnly={isBusy}
              onChange={(event) => {
                setKeyText(event.target.value);
                connect.reset();
                save.reset();
              }}
            />
          )}
        </Field>
        {failure && (
          <ProviderFailure
            message={failure.message}
            actions={
              <Button busy={save.isPending} onClick={saveAnyway}>
                Save anyway
              </Button>
            }
          />
        )}
      </form>
    </Dialog>
  );
}
