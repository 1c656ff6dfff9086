import { Link } from '@tanstack/react-router';
import { FileQuestion, ListFilter, X } from 'lucide-react';
import type { ReactNode } from 'react';
import type { DecisionBody } from '../../../src/decisions/decisions.contract.ts';
import { ApiError } from '../../api/client.ts';
import { useDecisionCall, useDecisionEntry } from '../../api/decision-queries.ts';
import { TaskTitle } from '../../parts/team/task-title.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { CallSide } from './call-side.tsx';
import { CallerName, surfaceName } from './caller-name.tsx';
import { ChainProof } from './chain-proof.tsx';
import { durationName, exactTime } from './day-names.ts';
import { KindBadge } from './kind-look.tsx';

export interface DecisionDetailProps {
  seq: number;
  onClose: () => void;
  /** Narrows the list to the entries of one call. */
  onCall: (callId: string) => void;
}

/** One entry with both sides of its call. */
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
            title={`There is no entry ${seq}`}
            actions={<Button onClick={onClose}>Back to the log</Button>}
          >
            It may be older than what the log keeps.
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
  const call = useDecisionCall(entry.callId);
  const sides = call.data ?? [entry];
  const input = sides.find((side) => side.kind === 'invocation');
  const output = sides.findLast((side) => side.kind === 'result' || side.kind === 'error');
  const took = input && output ? durationName(Math.max(0, Date.parse(output.at) - Date.parse(input.at))) : null;
  return (
    <>
      <dl className="grid grid-cols-[5.5rem_minmax(0,1fr)] gap-x-3 gap-y-2 text-sm">
        <Fact name="Called by">
          {entry.agentId !== null ? (
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
        {(entry.agentId !== null || entry.persona !== null) && (
          <Fact name="By way of">{surfaceName(entry.surface)}</Fact>
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
        <Fact name="Call">
          <span className="-my-1 flex items-center gap-1">
            <span className="min-w-0 truncate font-mono text-xs" title={entry.callId}>
              {entry.callId}
            </span>
            <CopyButton iconOnly label="Copy call id" text={entry.callId} />
            <IconButton
              size="sm"
              label="Show only this call"
              icon={<ListFilter aria-hidden />}
              onClick={() => onCall(entry.callId)}
            />
          </span>
        </Fact>
        <Fact name="Decision">
          <span className="[overflow-wrap:anywhere]">{entry.decision}</span>
        </Fact>
        {entry.reasoning && (
          <Fact name="Reasoning">
            <span className="whitespace-pre-wrap [overflow-wrap:anywhere]">{entry.reasoning}</span>
          </Fact>
        )}
      </dl>
      {entry.kind === 'manual' ? (
        <CallSide title="Context" entry={entry} />
      ) : (
        <>
          {input && <CallSide title="Input" entry={input} />}
          {output && <CallSide title={output.kind === 'error' ? 'Error' : 'Output'} entry={output} />}
          {!input && output && (
            <p className="mt-4 text-muted text-xs">
              There is no input: the call was refused before it began, or the log no longer keeps its start.
            </p>
          )}
          {input && !output && call.data && (
            <p className="mt-4 text-muted text-sm">
              No result yet. The tool is still running, or its process ended before it could answer.
            </p>
          )}
          {call.error && !call.data && (
            <ErrorState
              title="The other side of the call could not be loaded"
              error={call.error}
              onRetry={() => void call.refetch()}
            />
          )}
        </>
      )}
      <ChainProof entry={entry} />
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
    <div role="status" aria-busy="true" aria-label="Loading the entry" className="flex flex-col gap-3 pt-1">
      <Skeleton className="h-4 w-2/3" />
      <Skeleton className="h-4 w-1/2" />
      <Skeleton className="h-4 w-3/4" />
      <Skeleton className="mt-4 h-32 w-full" />
      <Skeleton className="mt-2 h-32 w-full" />
    </div>
  );
}
