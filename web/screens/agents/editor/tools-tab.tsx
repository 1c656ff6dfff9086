import { Asterisk, CircleOff, Plus, Search, Wrench, X } from 'lucide-react';
import { memo, useDeferredValue, useMemo, useState } from 'react';
import type { FieldIssue } from '../../../../src/base/validate.ts';
import { useTools } from '../../../api/queries.ts';
import { DraftNote } from '../../../parts/drafts/draft-note.tsx';
import { useFormDraft } from '../../../parts/drafts/use-form-draft.ts';
import { AddServerLink } from '../../../parts/servers/add-server-link.tsx';
import { Banner } from '../../../ui/banner.tsx';
import { Button } from '../../../ui/button.tsx';
import { classes } from '../../../ui/classes.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorState } from '../../../ui/error-state.tsx';
import { Field } from '../../../ui/field.tsx';
import { Input, TextField } from '../../../ui/input.tsx';
import { Select } from '../../../ui/select.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { showToast } from '../../../ui/toast.tsx';
import type { Draft, EditDraft } from './draft.ts';
import { GrantList } from './grant-list.tsx';
import {
  addToScope,
  countInScope,
  describeScope,
  isPattern,
  matchingTools,
  removeFromScope,
  type ScopeEntry,
} from './scope.ts';
import { ToolPicker } from './tool-picker.tsx';
import { issueAt } from './validate-draft.ts';

export interface ToolsTabProps {
  agentId: string;
  scope: readonly string[];
  toolPermission: Draft['toolPermission'];
  editable: boolean;
  issues: readonly FieldIssue[];
  edit: (edit: EditDraft) => void;
}

export const ToolsTab = memo(function ToolsTab(props: ToolsTabProps) {
  const { agentId, scope, toolPermission, editable, issues, edit } = props;
  const tools = useTools();
  const [query, setQuery] = useState('');
  const deferredQuery = useDeferredValue(query);
  const names = useMemo(() => (tools.data ?? []).map((tool) => tool.name), [tools.data]);
  const entries = useMemo(() => describeScope(scope, names), [scope, names]);
  const add = (added: readonly string[]) => edit((draft) => ({ ...draft, tools: addToScope(draft.tools, added) }));
  const remove = (removed: readonly string[]) => {
    edit((draft) => ({ ...draft, tools: removeFromScope(draft.tools, removed) }));
    const what = removed.length === 1 ? removed[0] : `${removed.length} tools`;
    showToast(`Removed ${what} from the scope`, { action: { label: 'Undo', onClick: () => add(removed) } });
  };

  return (
    <div className="flex flex-col gap-4">
      <p className="text-pretty text-muted text-sm">
        The scope lists the tools this agent may use. Clients connected to{' '}
        <code className="break-all rounded bg-hover px-1 py-0.5 font-mono text-xs">/mcp?agent={agentId}</code> see and
        call only these; clients connected to <Mono>/mcp</Mono> get every tool of the hub.
      </p>
      <ToolPermission value={toolPermission} editable={editable} edit={edit} />
      <GrantList agentId={agentId} />
      <ScopeList entries={entries} isLoaded={tools.isSuccess} editable={editable} issues={issues} onRemove={remove} />
      {editable && <PatternForm agentId={agentId} names={names} scope={scope} onAdd={(name) => add([name])} />}
      <section aria-label="Hub tools" className="flex flex-col gap-2">
        <div className="flex flex-wrap items-center gap-2">
          <h3 className="flex-1 font-semibold text-sm">
            Hub tools
            {tools.isSuccess && (
              <span className="ml-2 font-normal text-faint text-xs">
                {countInScope(scope, names)} of {names.length} in scope
              </span>
            )}
          </h3>
          <div className="relative min-w-0 basis-56 max-sm:basis-full">
            <Search
              aria-hidden
              className="pointer-events-none absolute top-1/2 left-2.5 size-3.5 -translate-y-1/2 text-faint"
            />
            <Input
              type="search"
              aria-label="Search tools"
              placeholder="Search tools"
              value={query}
              onChange={(event) => setQuery(event.target.value)}
              className="pl-8"
            />
          </div>
        </div>
        {tools.isPending ? (
          <div role="status" aria-busy="true" aria-label="Loading tools" className="flex flex-col gap-2">
            {[0, 1, 2, 3].map((row) => (
              <Skeleton key={row} className="h-12 w-full rounded-xl" />
            ))}
          </div>
        ) : tools.isError && !tools.data ? (
          <ErrorState title="The tools could not be loaded" error={tools.error} onRetry={() => void tools.refetch()} />
        ) : names.length === 0 ? (
          <EmptyState
            art={<Wrench className="size-10" strokeWidth={1.5} />}
            title="No tools yet"
            actions={<AddServerLink />}
          >
            Add a server, and choose which of its tools this agent may call.
          </EmptyState>
        ) : (
          <ToolPicker
            tools={tools.data ?? []}
            query={deferredQuery}
            scope={scope}
            editable={editable}
            onAdd={add}
            onRemove={remove}
          />
        )}
      </section>
    </div>
  );
});

interface ScopeListProps {
  entries: readonly ScopeEntry[];
  isLoaded: boolean;
  editable: boolean;
  issues: readonly FieldIssue[];
  onRemove: (names: readonly string[]) => void;
}

function ScopeList({ entries, isLoaded, editable, issues, onRemove }: ScopeListProps) {
  const error = issueAt(issues, 'tools');
  if (entries.length === 0) {
    return (
      <Banner tone="info" icon={<CircleOff />}>
        No tools in scope. Clients connected to this agent alone cannot use any. Select tools below.
      </Banner>
    );
  }
  return (
    <section aria-label="In scope" className="flex flex-col gap-2">
      <h3 className="font-semibold text-sm">In scope</h3>
      {error && (
        <p role="alert" className="text-danger text-xs">
          {error}
        </p>
      )}
      <ul className="flex flex-wrap gap-1.5">
        {entries.map((entry, index) => {
          const isMissing = isLoaded && entry.kind === 'missing';
          const entryError = issueAt(issues, `tools[${index}]`);
          return (
            <li
              key={entry.name}
              title={entryError}
              className={classes(
                'inline-flex min-h-7 max-w-full items-center gap-1.5 rounded-lg border bg-raised py-0.5 pl-2 text-xs',
                entryError ? 'border-danger' : isMissing ? 'border-warn/50 border-dashed' : 'border-line',
                !editable && 'pr-2',
              )}
            >
              {entry.kind === 'pattern' && <Asterisk aria-label="Pattern" className="size-3 shrink-0 text-violet" />}
              <span className={classes('min-w-0 break-all font-mono', isMissing && 'text-muted')}>{entry.name}</span>
              {isLoaded && entry.kind === 'pattern' && (
                <span className="whitespace-nowrap text-faint" title={entry.matches.join('\n')}>
                  {entry.matches.length === 1 ? '1 tool' : `${entry.matches.length} tools`}
                </span>
              )}
              {isMissing && <span className="whitespace-nowrap text-warn">not available</span>}
              {editable && (
                <button
                  type="button"
                  aria-label={`Remove ${entry.name}`}
                  onClick={() => onRemove([entry.name])}
                  className="mr-0.5 flex size-6 shrink-0 items-center justify-center rounded-md text-faint hover:bg-hover hover:text-text max-md:size-8"
                >
                  <X aria-hidden className="size-3.5" />
                </button>
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}

interface PatternFormProps {
  agentId: string;
  names: readonly string[];
  scope: readonly string[];
  onAdd: (name: string) => void;
}

function PatternForm({ agentId, names, scope, onAdd }: PatternFormProps) {
  const draft = useFormDraft(`agent/${agentId}/scope`, '');
  const pattern = draft.value.trim();
  const matches = useMemo(() => (pattern === '' ? [] : matchingTools(pattern, names)), [pattern, names]);
  const taken = scope.includes(pattern);
  return (
    <form
      className="flex flex-col gap-2 rounded-xl border border-line bg-surface p-3.5"
      onSubmit={(event) => {
        event.preventDefault();
        if (pattern === '' || taken) return;
        onAdd(pattern);
        draft.set('');
      }}
    >
      <DraftNote draft={draft} />
      <div className="flex items-start gap-2">
        <TextField
          label="Add a name or pattern"
          hint="* matches anything: mcp__github__* includes all current and future tools of that server."
          error={taken ? 'Already in scope.' : null}
          value={draft.value}
          onChange={(event) => draft.set(event.target.value)}
          placeholder="mcp__github__*"
          maxLength={128}
          spellCheck={false}
          autoCapitalize="off"
          className="flex-1"
          inputClass="font-mono"
        />
        <Button type="submit" icon={<Plus aria-hidden />} disabled={pattern === '' || taken} className="mt-6.5">
          Add
        </Button>
      </div>
      {pattern !== '' && (
        <p aria-live="polite" className="text-muted text-xs">
          {matches.length > 0
            ? `Matches ${matches.length}: `
            : isPattern(pattern)
              ? 'Matches no tools yet.'
              : 'The hub has no such tool yet. You can add it anyway.'}
          {matches.slice(0, 12).map((name, index) => (
            <span key={name}>
              {index > 0 && ', '}
              <span className="inline-block max-w-full break-all font-mono">{name}</span>
            </span>
          ))}
          {matches.length > 12 && ` and ${matches.length - 12} more`}
        </p>
      )}
    </form>
  );
}

function Mono({ children }: { children: string }) {
  return <code className="rounded bg-hover px-1 py-0.5 font-mono text-xs">{children}</code>;
}

const permissions: readonly { value: Draft['toolPermission']; label: string; meaning: string }[] = [
  {
    value: 'tool',
    label: 'Ask when the tool requires approval',
    meaning: 'You approve calls that can change something or send data off this machine. All other calls run at once.',
  },
  { value: 'always', label: 'Ask before every call', meaning: 'You approve every call.' },
  {
    value: 'never',
    label: 'Never ask',
    meaning:
      'Calls run at once, including tools that delete or send. Once the agent has read text from outside, those ask anyway.',
  },
];

interface ToolPermissionProps {
  value: Draft['toolPermission'];
  editable: boolean;
  edit: (edit: EditDraft) => void;
}

/** When an agent run by the hub asks for approval. Clients have their own rules. */
function ToolPermission({ value, editable, edit }: ToolPermissionProps) {
  const chosen = permissions.find((permission) => permission.value === value);
  return (
    <Field label="Approval for runs on the hub" hint={chosen?.meaning}>
      {({ id }) => (
        <Select
          id={id}
          label="Approval for runs on the hub"
          value={value}
          options={permissions}
          disabled={!editable}
          onChange={(toolPermission) => edit((draft) => ({ ...draft, toolPermission }))}
          className="self-start max-sm:w-full"
        />
      )}
    </Field>
  );
}
