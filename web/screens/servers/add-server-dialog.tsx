import { CircleAlert, CircleCheck, FlaskConical, RefreshCw } from 'lucide-react';
import { type FormEvent, type RefCallback, useEffect, useId, useRef, useState } from 'react';
import { descriptionOf } from '../../../src/servers/remote-tool.ts';
import { serverLimits } from '../../../src/servers/server-definition.ts';
import type { ServerTrial } from '../../../src/servers/servers.ts';
import { ApiError } from '../../api/client.ts';
import { useAddServer, useTestServer } from '../../api/server-queries.ts';
import { DraftNote } from '../../parts/drafts/draft-note.tsx';
import { type FormDraft, useFormDraft } from '../../parts/drafts/use-form-draft.ts';
import { mayLoseKey } from '../../parts/models/key-input.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { errorText } from '../../ui/error-state.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { FormError } from '../../ui/form-dialog.tsx';
import { formatCount } from '../../ui/format-count.ts';
import { TextField } from '../../ui/input.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { showToast } from '../../ui/toast.tsx';
import { AdvancedFields } from './advanced-fields.tsx';
import { Catalogue } from './catalogue/catalogue-list.tsx';
import { type CatalogueState, useCatalogue } from './catalogue/use-catalogue.ts';
import { formWithoutSecrets, hasSecret } from './form-without-secrets.ts';
import { PasteServers } from './paste-servers.tsx';
import { CommandFields, plainInput, UrlFields } from './server-fields.tsx';
import { checkForm, checkServerName, newForm, type ServerForm, suggestServerName } from './server-form.ts';
import { usePastedServers } from './use-pasted-servers.ts';

type Way = 'catalogue' | 'command' | 'url' | 'json';

export interface AddServerDialogProps {
  way: Way;
  onWay: (way: Way) => void;
  taken: readonly string[];
  onClose: () => void;
}

const ways: { value: Way; label: string }[] = [
  { value: 'catalogue', label: 'Catalogue' },
  { value: 'command', label: 'Command' },
  { value: 'url', label: 'URL' },
  { value: 'json', label: 'Paste JSON' },
];

/** Adds a server from the catalogue, by command, by URL or from pasted JSON. */
export function AddServerDialog({ way, onWay, taken, onClose }: AddServerDialogProps) {
  const formId = useId();
  // Separate forms, so that switching loses nothing.
  const drafts = { command: useServerDraft('stdio'), url: useServerDraft('streamable-http') };
  const draft = drafts[way === 'url' ? 'url' : 'command'];
  const one = useOneServer(draft, taken, onClose);
  const pasted = usePastedServers(taken, onClose);
  const catalogue = useCatalogue(taken, onClose);
  const close = async () => {
    const isTyped = hasSecret(drafts.command.value) || hasSecret(drafts.url.value);
    if (await mayLoseKey(isTyped || pasted.hasSecret || catalogue.chosen.hasSecret, 'secret')) onClose();
  };
  const onChange = (change: Partial<ServerForm>) => {
    one.forgetTrial();
    draft.set((now) => ({ ...now, ...change }));
  };
  const fields = { form: one.form, problems: one.problems, onChange };
  return (
    <Dialog
      open
      onClose={() => void close()}
      size="lg"
      staysOnClickOutside
      initialFocus={() => document.getElementById(formId)?.querySelector('input, textarea') ?? null}
      title="Add server"
      description="The hub connects right away and offers its tools."
      footer={
        way === 'catalogue' ? (
          <CatalogueButtons catalogue={catalogue} formId={formId} onClose={() => void close()} />
        ) : way === 'json' ? (
          <>
            <Button onClick={() => void close()}>Cancel</Button>
            <Button
              variant="primary"
              type="submit"
              form={formId}
              busy={pasted.isPending}
              disabled={pasted.chosen.length === 0}
            >
              {pasted.chosen.length > 1 ? `Add ${pasted.chosen.length} servers` : 'Add server'}
            </Button>
          </>
        ) : (
          <>
            <Button className="mr-auto" icon={<FlaskConical aria-hidden />} busy={one.isTesting} onClick={one.test}>
              Test connection
            </Button>
            <Button onClick={() => void close()}>Cancel</Button>
            <Button variant="primary" type="submit" form={formId} busy={one.isAdding}>
              Add server
            </Button>
          </>
        )
      }
    >
      <form
        id={formId}
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event: FormEvent) => {
          event.preventDefault();
          if (way === 'catalogue') catalogue.submit();
          else if (way === 'json') pasted.submit();
          else one.add();
        }}
      >
        <Segmented
          label="Add by"
          value={way}
          options={ways}
          className="w-full"
          onChange={(next) => {
            one.forgetTrial();
            onWay(next);
          }}
        />
        {way === 'catalogue' ? (
          <Catalogue catalogue={catalogue} />
        ) : way === 'json' ? (
          <PasteServers pasted={pasted} />
        ) : (
          <>
            <DraftNote draft={draft} />
            {way === 'command' ? <CommandFields {...fields} /> : <UrlFields {...fields} />}
            <TextField
              label="Name"
              {...plainInput}
              maxLength={serverLimits.name}
              inputClass="font-mono"
              value={one.name}
              error={one.nameProblem}
              hint={`Its tools are named mcp__${one.name || 'NAME'}__…`}
              onChange={(event) => one.setName(event.currentTarget.value)}
            />
            <details
              className="rounded-xl border border-line px-3.5 py-2.5"
              {...(one.isAdvancedWrong && { open: true })}
            >
              <summary className="w-fit rounded-md text-muted text-sm hover:text-text">
                Advanced: trust, filters, approval, limits
              </summary>
              <div className="mt-3">
                <AdvancedFields {...fields} name={one.name} />
              </div>
            </details>
            <TrialResult trial={one.trial} error={one.trialError} />
            <FormError error={one.error} />
          </>
        )}
      </form>
    </Dialog>
  );
}

interface CatalogueButtonsProps {
  catalogue: CatalogueState;
  formId: string;
  onClose: () => void;
}

function CatalogueButtons({ catalogue, formId, onClose }: CatalogueButtonsProps) {
  const { view, chosen, update } = catalogue;
  if (view === 'list') {
    return (
      <>
        <Button className="mr-auto" icon={<RefreshCw aria-hidden />} onClick={update.open}>
          Update catalogue
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </>
    );
  }
  const isUpdate = view === 'update';
  return (
    <>
      <Button className="mr-auto" onClick={isUpdate ? update.close : () => chosen.choose(null)}>
        Back
      </Button>
      <Button onClick={onClose}>Cancel</Button>
      <Button variant="primary" type="submit" form={formId} busy={isUpdate ? update.isPending : chosen.isAdding}>
        {isUpdate ? 'Update' : 'Add server'}
      </Button>
    </>
  );
}

const basicFields = new Set(['commandLine', 'env', 'cwd', 'url', 'auth', 'token', 'key', 'keyHeader', 'authHeaders']);

/** The definition and name of a new server. */
interface NewServer extends ServerForm {
  typedName: string | null;
}

/** Keeps what was typed, without secrets. */
function useServerDraft(transport: 'stdio' | 'streamable-http'): FormDraft<NewServer> {
  const [start] = useState((): NewServer => ({ ...newForm(transport), typedName: null }));
  return useFormDraft(`server/new/${transport}`, start, {
    withoutSecrets: (server) => ({ ...server, ...formWithoutSecrets(server) }),
  });
}

function useOneServer(draft: FormDraft<NewServer>, taken: readonly string[], onAdded: () => void) {
  const { typedName, ...form } = draft.value;
  const setName = (next: string) => draft.set((now) => ({ ...now, typedName: next }));
  const [wasSent, setWasSent] = useState<'test' | 'add' | null>(null);
  const add = useAddServer();
  const test = useTestServer();
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);
  const name = typedName ?? suggestServerName(form);
  const checked = checkForm(form);
  const problems = wasSent !== null && !checked.ok ? checked.problems : {};
  const nameProblem = checkServerName(name, taken);
  return {
    form,
    name,
    setName,
    problems,
    isAdvancedWrong: Object.keys(problems).some((field) => !basicFields.has(field)),
    // After success, its own name must not look taken while the dialog closes.
    nameProblem: wasSent === 'add' && !add.isSuccess ? nameProblem : null,
    isTesting: test.isPending,
    trial: test.data,
    trialError: test.error,
    isAdding: add.isPending || add.isSuccess,
    error: add.error,
    /** Clears a result that belongs to an earlier definition. */
    forgetTrial: () => {
      running.current?.abort();
      test.reset();
    },
    test: () => {
      setWasSent((before) => before ?? 'test');
      if (!checked.ok) return;
      running.current?.abort();
      running.current = new AbortController();
      test.mutate({ name: name || 'test', definition: checked.definition, signal: running.current.signal });
    },
    add: () => {
      setWasSent('add');
      if (!checked.ok || nameProblem !== null || add.isPending) return;
      draft.save(add.mutateAsync({ name, definition: checked.definition }), {
        onSaved: () => showToast(`Added “${name}”. Connecting…`),
        whileOpen: onAdded,
      });
    },
  };
}

const maxFound = 200;

/** Shows the result of a connection test: the tools or the error. */
function TrialResult({ trial, error }: { trial: ServerTrial | undefined; error: unknown }) {
  if (error) return <Failure error={error} />;
  if (!trial) return null;
  return (
    <section ref={scrollIntoView} aria-label="Connection test" className="rounded-xl bg-accent-soft p-3.5 text-sm">
      <p role="status" className="flex items-start gap-2 font-medium text-accent-text">
        <CircleCheck aria-hidden className="mt-0.5 size-4 shrink-0" />
        <span className="min-w-0 break-words">
          Connected in {seconds(trial.durationMs)}. Found {formatCount(trial.tools.length, 'tool')}.
        </span>
      </p>
      <p className="mt-0.5 pl-6 text-muted text-xs">
        <ForeignText text={`${trial.serverName} ${trial.serverVersion}`} /> · protocol {trial.protocolVersion}
      </p>
      {trial.tools.length > 0 && (
        <ul
          aria-label="Tools found"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard.
          tabIndex={0}
          className="mt-2 flex max-h-40 flex-wrap gap-1 overflow-y-auto pl-6"
        >
          {trial.tools.slice(0, maxFound).map((tool) => (
            <li
              key={tool.name}
              title={descriptionOf(tool)}
              className="break-all rounded-md bg-raised px-1.5 py-0.5 font-mono text-2xs"
            >
              <ForeignText text={tool.name} />
            </li>
          ))}
          {trial.tools.length > maxFound && (
            <li className="py-0.5 text-muted text-xs">and {formatCount(trial.tools.length - maxFound, 'more tool')}</li>
          )}
        </ul>
      )}
    </section>
  );
}

function Failure({ error }: { error: unknown }) {
  const needsSignIn = error instanceof ApiError && error.code === 'sign_in_required';
  return (
    <section
      ref={scrollIntoView}
      role="alert"
      aria-label="Connection test"
      className={
        needsSignIn
          ? 'rounded-xl bg-warn-soft p-3.5 text-sm text-warn'
          : 'rounded-xl bg-danger-soft p-3.5 text-danger text-sm'
      }
    >
      <p className="flex items-start gap-2">
        <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
        <span className="min-w-0 whitespace-pre-wrap [overflow-wrap:anywhere]">
          {needsSignIn
            ? `Sign-in required. Add the server, then choose “Sign in”. (${errorText(error)})`
            : errorText(error)}
        </span>
      </p>
    </section>
  );
}

/** Scrolls the result into view, because it may be below the edge of the dialog. */
const scrollIntoView: RefCallback<HTMLElement> = (element) => element?.scrollIntoView({ block: 'nearest' });

function seconds(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}
