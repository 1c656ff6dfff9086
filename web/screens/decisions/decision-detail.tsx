import { Link } from '@tanstack/react-router';
import { FileQuestion, ListFilter, ShieldCheck, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { userId } from '../../../src/base/user-id.ts';
import type { DecisionBody } from '../../../src/decisions/decisions.contract.ts';
import { ApiError } from '../../api/client.ts';
import { useDecisionCall, useDecisionEntry } from '../../api/decision-queries.ts';
import { TaskTitle } from '../../parts/team/task-title.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { exactTime } from '../../ui/day-names.ts';
import { durationName } from '../../ui/duration-name.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { JsonView } from '../../ui/json-view.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { CallerName, surfaceName } from './caller-name.tsx';
import { KindBadge } from './kind-look.tsx';

export interface DecisionDetailProps {
  seq: number;
  onClose: () => void;
  /** Filters the list to one call. */
  onCall: (callId: string) => void;
}

/** Shows one entry with the input and output of its call. */
export function DecisionDetail({ seq, onClose, onCall }: DecisionDetailProps) {
  const { data: entry, error, refetch } = useDecisionEntry(seq);
  return (
    <div className="flex h-full min-h-0 flex-col">
      <header className="flex items-center gap-2 border-line border-b px-4 py-2.5">
        {entry && <KindBadge kind={entry.kind} />}
        <h2 className="min-w-0 flex-1 truncate font-mono font-semibold text-sm" title={entry?.tool}>
          {entry?.tool ?? `Entry ${seq}`}
        </h2>
        <IconButton label="Close" shortcut="Esc" icon={<X aria-hidden />} onClick={onClose} />
      </header>
      <div className="min-h-0 flex-1 overflow-y-auto overscroll-contain px-4 pt-3 pb-8">
        {entry ? (
          <EntryDetail entry={entry} onCall={onCall} />
        ) : error instanceof ApiError && error.isNotFound ? (
          <EmptyState
            art={<FileQuestion className="size-10" strokeWidth={1.5} />}
            title={`Entry ${seq} not found`}
            actions={<Button onClick={onClose}>Back to log</Button>}
          >
            It may be past the retention period of the log.
          </EmptyState>
        ) : error ? (
          <ErrorState title="The entry could not be loaded" error={error} onRetry={() => void refetch()} />
        ) : (
          <LoadingEntry />
        )}
      </div>
    </div>
  );
}

function EntryDetail({ entry, onCall }: { entry: DecisionBody; onCall: (callId: string) => void }) {
  const isAct = entry.kind === 'act';
  // The decision and reasoning of an entry about a call only repeat its kind and tool.
  const isNote = entry.kind === 'manual';
  const call = useDecisionCall(entry.callId);
  const sides = call.data ?? [entry];
  const input = sides.find((side) => side.kind === 'invocation');
  const output = sides.findLast((side) => side.kind === 'result' || side.kind === 'error');
  const took = input && output ? durationName(Math.max(0, Date.parse(output.at) - Date.parse(input.at))) : null;
  return (
    <>
      <dl className="grid grid-cols-[5.5rem_minmax(0,1fr)] gap-x-3 gap-y-2 text-sm">
        <Fact name={isAct ? 'Done by' : 'Called by'}>
          {entry.agentId === userId ? (
            <CallerName caller={entry} />
          ) : entry.agentId !== null ? (
            <Link
              to="/team/members"
              search={{ member: entry.agentId }}
              className="inline-flex max-w-full hover:underline"
            >
              <CallerName caller={entry} />
            </Link>
          ) : entry.persona !== null ? (
            <Link to="/a/$id" params={{ id: entry.persona }} className="inline-flex max-w-full hover:underline">
              <CallerName caller={entry} />
            </Link>
          ) : (
            <CallerName caller={entry} />
          )}
        </Fact>
        {(entry.agentId !== null || entry.client !== undefined || entry.persona !== null) && (
          <Fact name="Via">{surfaceName(entry.surface)}</Fact>
        )}
        {entry.taskId !== null && (
          <Fact name="Task">
            <Link
              to="/team/tasks/$id"
              params={{ id: entry.taskId }}
              className="break-words text-accent-text hover:underline"
            >
              <TaskTitle id={entry.taskId} />
            </Link>
          </Fact>
        )}
        <Fact name="Time">
          <time dateTime={entry.at}>{exactTime(entry.at)}</time>
          {took !== null && <span className="text-faint"> · took {took}</span>}
        </Fact>
        <Fact name={isAct ? 'ID' : 'Call'}>
          <span className="-my-1 flex items-center gap-1">
            <span className="min-w-0 truncate font-mono text-xs" title={entry.callId}>
              {entry.callId}
            </span>
            <CopyButton iconOnly label="Copy call ID" text={entry.callId} />
            <IconButton
              size="sm"
              label="Show only this call"
              icon={<ListFilter aria-hidden />}
              onClick={() => onCall(entry.callId)}
            />
          </span>
        </Fact>
        {(isNote || isAct) && (
          <Fact name={isAct ? 'Change' : 'Decision'}>
            <span className="[overflow-wrap:anywhere]">{entry.decision}</span>
          </Fact>
        )}
        {entry.reasoning && isNote && (
          <Fact name="Reasoning">
            <span className="whitespace-pre-wrap [overflow-wrap:anywhere]">{entry.reasoning}</span>
          </Fact>
        )}
      </dl>
      {isNote || isAct ? (
        <CallSide title={isAct ? 'Before and after' : 'Context'} entry={entry} />
      ) : (
        <>
          {input && <CallSide title="Input" entry={input} />}
          {output && <CallSide title={output.kind === 'error' ? 'Error' : 'Output'} entry={output} />}
          {!input && output && (
            <p className="mt-4 text-muted text-xs">
              No input recorded. The call was rejected before it started, or its start is past the retention period.
            </p>
          )}
          {input && !output && call.data && (
            <p className="mt-4 text-muted text-sm">
              No result yet. The tool is still running, or its process ended early.
            </p>
          )}
          {call.error && !call.data && (
            <ErrorState
              title="The rest of the call could not be loaded"
              error={call.error}
              onRetry={() => void call.refetch()}
            />
          )}
        </>
      )}
      <ChainPosition entry={entry} />
    </>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-muted text-xs leading-5">{name}</dt>
      <dd className="min-w-0">{children}</dd>
    </>
  );
}

function LoadingEntry() {
  return (
    <div role="status" aria-busy="true" aria-label="Loading entry" className="flex flex-col gap-3 pt-1">
      <Skeleton className="h-4 w-2/3" />
      <Skeleton className="h-4 w-1/2" />
      <Skeleton className="h-4 w-3/4" />
      <Skeleton className="mt-4 h-32 w-full" />
      <Skeleton className="mt-2 h-32 w-full" />
    </div>
  );
}

interface CallSideProps {
  /** "Input", "Output", "Error". */
  title: string;
  entry: DecisionBody;
  note?: ReactNode;
}

/** Shows the input or output of a call. */
function CallSide({ title, entry: { context, kind }, note }: CallSideProps) {
  const cut = cutContext(context);
  const message = kind === 'error' ? errorMessage(context) : undefined;
  return (
    <section className="mt-5">
      <header className="mb-1.5 flex min-h-7 items-center gap-2">
        <h3 className="font-semibold text-sm">{title}</h3>
        <span className="min-w-0 flex-1 truncate text-faint text-xs">{note}</span>
        <CopyButton
          iconOnly
          label={`Copy ${title.toLowerCase()}`}
          text={() => cut?.head ?? JSON.stringify(context, null, 2) ?? ''}
        />
      </header>
      {message !== undefined && (
        <p className="mb-2 rounded-lg bg-danger-soft px-3 py-2 text-danger text-sm [overflow-wrap:anywhere]">
          {message}
        </p>
      )}
      {cut ? (
        <>
          <p className="mb-1.5 text-muted text-xs">
            The log keeps the first {cut.head.length.toLocaleString('en')}
            {cut.characters !== null && ` of ${cut.characters.toLocaleString('en')}`} characters.
          </p>
          <pre
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
            tabIndex={0}
            className="max-h-112 overflow-auto whitespace-pre-wrap rounded-lg border border-line bg-sunken/50 p-2.5 font-mono text-xs leading-5 [overflow-wrap:anywhere]"
          >
            {cut.head}
          </pre>
        </>
      ) : context === null || context === undefined ? (
        <p className="text-muted text-sm">Nothing recorded.</p>
      ) : (
        <JsonView value={context} label={title} />
      )}
    </section>
  );
}

/** Returns the start of a context that was too long to store in full. */
function cutContext(context: unknown): { head: string; characters: number | null } | undefined {
  if (typeof context !== 'object' || context === null || !('truncated' in context) || context.truncated !== true)
    return undefined;
  const head = 'head' in context && typeof context.head === 'string' ? context.head : undefined;
  const characters = 'characters' in context && typeof context.characters === 'number' ? context.characters : null;
  return head === undefined ? undefined : { head, characters };
}

function errorMessage(context: unknown): string | undefined {
  if (typeof context !== 'object' || context === null || !('message' in context)) return undefined;
  const code = 'code' in context && typeof context.code === 'string' ? `${context.code}: ` : '';
  return typeof context.message === 'string' ? code + context.message : undefined;
}

/** Shows an entry's position in its writer's chain and how to verify it. */
function ChainPosition({ entry: { chain, chainNo, hash } }: { entry: DecisionBody }) {
  return (
    <details className="mt-5 rounded-lg border border-line">
      <summary className="rounded-lg px-3 py-2 text-sm hover:bg-hover">
        <ShieldCheck aria-hidden className="size-4 text-faint" />
        <span className="flex-1">Position in the chain</span>
        <span className="min-w-0 max-w-32 truncate font-mono text-faint text-xs">{hash.slice(0, 12)}</span>
      </summary>
      <div className="border-line border-t px-3 py-2.5 text-sm">
        <dl className="grid grid-cols-[auto_minmax(0,1fr)_auto] items-center gap-x-3 gap-y-1.5 text-xs">
          <dt className="text-muted">Chain</dt>
          <dd className="col-span-2 break-all font-mono">
            {chain}, entry {chainNo.toLocaleString('en')}
          </dd>
          <dt className="text-muted">Hash</dt>
          <dd className="break-all font-mono">{hash}</dd>
          <CopyButton iconOnly label="Copy hash" text={hash} />
        </dl>
        <p className="mt-2 text-pretty text-muted text-xs">
          The hash covers this entry, the entries written with it and the previous hash.{' '}
          <code className="font-mono">zoo log verify</code> checks every chain from its start and reports changed or
          removed entries.
        </p>
      </div>
    </details>
  );
}
