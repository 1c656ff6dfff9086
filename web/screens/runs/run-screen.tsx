import { Link, useLocation, useParams } from '@tanstack/react-router';
import { ArrowLeft, FileQuestion, Globe, Unplug } from 'lucide-react';
import { type ReactNode, useMemo, useState } from 'react';
import type { StoredRunDetail } from '../../../src/engine/run-store.ts';
import { conversationOf } from '../../../src/runs/run-conversation.ts';
import { ApiError } from '../../api/client.ts';
import { useInbox } from '../../api/inbox-queries.ts';
import { useRun } from '../../api/run-queries.ts';
import { AgentAvatar } from '../../parts/agents/agent-avatar.tsx';
import { useNoteOpened } from '../../parts/recent/opened.ts';
import { costWords } from '../../parts/runs/usage-words.ts';
import { Banner } from '../../ui/banner.tsx';
import { buttonClass } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { durationName } from '../../ui/duration-name.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { LongList } from '../../ui/long-list.tsx';
import { Page } from '../../ui/page.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { useTitle } from '../../ui/use-title.ts';
import { calledBySteps } from './called-by-step.ts';
import { CalledRun } from './called-run.tsx';
import { ForkDialog } from './fork-dialog.tsx';
import { PromptSheet } from './prompt-sheet.tsx';
import { RunActions } from './run-actions.tsx';
import { RunStateBadge } from './run-state.tsx';
import { calledWords, runMs, stateSentences } from './run-words.ts';
import { TurnView } from './turn-view.tsx';
import { useAgentName } from './use-agent-name.ts';
import { Waterfall } from './waterfall.tsx';

const allRuns = (
  <Link to="/runs" className={buttonClass()}>
    All runs
  </Link>
);

/** One run: its conversation with every call and result. */
export function RunScreen() {
  const { id } = useParams({ from: '/runs/$id' });
  const { data, error, refetch } = useRun(id);
  useTitle(data?.title || 'Run');
  useNoteOpened('run', id, error instanceof ApiError && error.isNotFound ? null : data?.title);
  return (
    <Page className="max-w-4xl!">
      {data ? (
        <LoadedRun key={data.id} run={data} />
      ) : error instanceof ApiError && error.isNotFound ? (
        <EmptyState
          level={1}
          art={<FileQuestion className="size-10" strokeWidth={1.5} />}
          title="Run not found"
          actions={allRuns}
        >
          It may have been deleted, or the link is incomplete.
        </EmptyState>
      ) : error ? (
        <ErrorState
          level={1}
          title="The run could not be loaded"
          error={error}
          onRetry={() => void refetch()}
          back={allRuns}
        />
      ) : (
        <div role="status" aria-busy="true" aria-label="Loading run" className="flex flex-col gap-4">
          <h1 className="sr-only">Loading run</h1>
          <Skeleton className="h-8 w-2/3" />
          <Skeleton className="h-4 w-1/2" />
          <Skeleton className="mt-4 h-24 w-full" />
          <Skeleton className="h-40 w-full" />
        </div>
      )}
    </Page>
  );
}

function LoadedRun({ run }: { run: StoredRunDetail }) {
  const turns = useMemo(() => conversationOf(run), [run]);
  const reason = run.error?.message ?? run.reason ?? stateSentences[run.status];
  return (
    <>
      <header className="mb-5">
        <div className="flex flex-wrap items-start gap-x-2 gap-y-3">
          <Link
            to="/runs"
            aria-label="All runs"
            className={classes(buttonClass({ variant: 'ghost' }), '-ml-2 mt-0.5 px-2!')}
          >
            <ArrowLeft aria-hidden />
          </Link>
          <h1 className="min-w-0 flex-1 pt-1 font-semibold text-xl leading-7 [overflow-wrap:anywhere]">
            {run.title || 'Untitled run'}
          </h1>
          <RunActions run={run} />
        </div>
        <dl className="mt-3 flex flex-wrap items-center gap-x-5 gap-y-2 text-sm">
          <Fact name="State">
            <RunStateBadge state={run.status} />
          </Fact>
          {run.agentId !== null && (
            <Fact name="Agent">
              <AgentLink id={run.agentId} />
            </Fact>
          )}
          <Fact name="Model">
            <code className="font-mono text-xs">{run.model}</code>
          </Fact>
          <Fact name="Started">
            <RelativeTime at={new Date(run.startedAt).toISOString()} />
            <span className="text-faint">· {durationName(runMs(run, Date.now()))}</span>
          </Fact>
          {run.calledBy !== null && (
            <Fact name="Called by">
              <CallerLink calledBy={run.calledBy} caller={run.caller} />
            </Fact>
          )}
          <Fact name="Ticks">
            <span className="tabular-nums">{run.ticks.toLocaleString('en')}</span>
          </Fact>
          <Fact name="Tokens">
            <span className="tabular-nums" title={tokenDetail(run)}>
              {run.usage.inputTokens.toLocaleString('en')} in, {run.usage.outputTokens.toLocaleString('en')} out
            </span>
          </Fact>
          <Fact name="Cost">
            <span className="tabular-nums">
              {run.cost === null && run.ticks > 0 ? (
                <Link
                  to="/models"
                  search={{ price: run.model }}
                  title="Set the price of this model for later runs"
                  className="underline decoration-line-strong underline-offset-2"
                >
                  Unknown price
                </Link>
              ) : (
                costWords(run.cost)
              )}
            </span>
            <CalledCost steps={run.steps} />
          </Fact>
          <Fact name="ID">
            <span className="inline-flex max-w-40 items-center">
              <code className="min-w-0 truncate font-mono text-muted text-xs">{run.id}</code>
              <CopyButton iconOnly label="Copy run ID" text={run.id} />
            </span>
          </Fact>
        </dl>
      </header>
      {run.status === 'interrupted' && (
        <div className="mb-4">
          <Banner tone="warn" icon={<Unplug />}>
            {stateSentences.interrupted} Running calls may have taken effect. The hub does not repeat them.
          </Banner>
        </div>
      )}
      {Object.keys(run.arguments).length > 0 && (
        <section aria-labelledby="run-arguments" className="mb-4">
          <h2 id="run-arguments" className="mb-1.5 font-semibold text-sm">
            Arguments
          </h2>
          <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-sm">
            {Object.entries(run.arguments).map(([name, value]) => (
              <div key={name} className="contents">
                <dt className="text-muted">{name}</dt>
                <dd className="min-w-0 whitespace-pre-wrap [overflow-wrap:anywhere]">{value}</dd>
              </div>
            ))}
          </dl>
        </section>
      )}
      {run.outside.length > 0 && (
        <section aria-label="Read from outside" className="mb-4">
          <Banner tone="warn" icon={<Globe />}>
            <p>
              This conversation has read text from outside. By default, calls that can send or delete data now need
              approval, and are denied when no one can approve them.
            </p>
            <ul className="mt-1 list-disc pl-5 text-xs">
              {run.outside.map((source) => (
                <li key={source} className="[overflow-wrap:anywhere]">
                  {source}
                </li>
              ))}
            </ul>
          </Banner>
        </section>
      )}
      <Steps run={run} />
      <h2 className="mt-6 mb-2 font-semibold text-sm">Conversation</h2>
      <LongList
        label="Conversation"
        items={turns}
        // A conversation only grows at its end.
        keyOf={(_, index) => String(index)}
        estimateSize={90}
        gap={12}
        className=""
      >
        {(turn) => <TurnView turn={turn} isInterrupted={run.status === 'interrupted'} />}
      </LongList>
      {turns.length === 0 && <p className="text-muted text-sm">No messages yet.</p>}
      {run.status !== 'interrupted' && (
        <p
          role="status"
          className={classes(
            'mt-4 flex flex-wrap items-baseline gap-x-2 border-line border-t pt-3 text-sm [overflow-wrap:anywhere]',
            run.status === 'failed' ? 'text-danger' : 'text-muted',
          )}
        >
          {run.error && <code className="font-mono text-xs">{run.error.code}</code>}
          {run.status === 'running' ? <Progress run={run} /> : reason}
        </p>
      )}
    </>
  );
}

/** What a run that has not ended is doing. */
function Progress({ run }: { run: StoredRunDetail }) {
  const { data } = useInbox();
  const tool = data?.items
    .flatMap((item) => (item.kind === 'approval' ? [item.settle] : []))
    .find(({ chatId }) => chatId === run.chatId)?.tool;
  if (tool === undefined) return 'Running…';
  return (
    <>
      <span>Waiting until you allow or deny {tool}.</span>
      <Link to="/inbox" className="rounded text-accent-text underline underline-offset-2 hover:decoration-2">
        Decide in the inbox
      </Link>
    </>
  );
}

/** The waterfall, with the dialogs that belong to its steps. */
function Steps({ run }: { run: StoredRunDetail }) {
  const [shown, setShown] = useState<number | null>(null);
  const [forked, setForked] = useState<number | null>(null);
  const first = run.steps.find(({ kind }) => kind === 'model')?.step;
  const { bySteps: called, open } = useMemo(() => calledBySteps(run), [run]);
  const marked = useMarkedStep();
  return (
    <section aria-label="Waterfall">
      <h2 className="mb-2 font-semibold text-sm">Steps</h2>
      {run.steps.length > 0 ? (
        <Waterfall
          steps={run.steps}
          onPrompt={setShown}
          onFork={run.agentId === null || run.status === 'running' ? undefined : setForked}
          called={called}
          marked={marked}
        />
      ) : (
        <p className="text-muted text-sm">
          {run.status === 'running'
            ? 'The first step is in progress.'
            : 'No steps recorded: the run predates them or ended before its first model call.'}
        </p>
      )}
      {run.called.length < run.calledRuns && (
        <p className="mt-2 text-muted text-sm">
          The last {run.called.length.toLocaleString('en')} of {calledWords(run.calledRuns)} are shown.
        </p>
      )}
      {open.length > 0 && (
        <ul aria-label="Called runs without a step" className="mt-2 flex flex-col gap-1 text-sm">
          {open.map((each) => (
            <li key={each.id}>
              <CalledRun run={each} />
            </li>
          ))}
        </ul>
      )}
      {shown !== null && <PromptSheet runId={run.id} step={shown} onClose={() => setShown(null)} />}
      {forked !== null && (
        <ForkDialog
          runId={run.id}
          step={forked}
          message={forked === first ? questionOf(run) : ''}
          onClose={() => setForked(null)}
        />
      )}
    </section>
  );
}

/** Returns the number of the step that the address names. */
function useMarkedStep(): number | null {
  const hash = useLocation({ select: (location) => location.hash });
  const step = /^step-(\d{1,6})$/.exec(hash)?.[1];
  return step === undefined ? null : Number(step);
}

/** Leads to the step that started this run. */
function CallerLink({ calledBy, caller }: { calledBy: { runId: string }; caller: StoredRunDetail['caller'] }) {
  const agentName = useAgentName(caller?.agentId ?? null);
  if (caller === null) return <span className="text-muted">A run that was deleted</span>;
  const { title, step } = caller;
  return (
    <Link
      to="/runs/$id"
      params={{ id: calledBy.runId }}
      {...(step !== null && { hash: `step-${step}` })}
      className="min-w-0 [overflow-wrap:anywhere] hover:underline"
    >
      {[agentName, title || 'Untitled run'].filter(Boolean).join(': ')}
      {step !== null && <span className="text-faint"> · step {step}</span>}
    </Link>
  );
}

/** Returns the user's own text of the last question: blocks before it are context. */
function questionOf({ messages }: StoredRunDetail): string {
  const question = messages.findLast(({ role }) => role === 'user');
  const text = question?.content.findLast((block) => block.type === 'text');
  return text?.type === 'text' ? text.text : '';
}

/** What the agents cost that the run called. It is not part of the run's own cost. */
function CalledCost({ steps }: Pick<StoredRunDetail, 'steps'>) {
  const used = steps.flatMap((step) => (step.kind === 'tool' && step.used ? [step.used] : []));
  if (used.length === 0) return null;
  const costs = used.flatMap(({ cost }) => cost ?? []);
  const known = costs.reduce((sum, cost) => sum + cost, 0);
  const words =
    costs.length < used.length
      ? `${costs.length > 0 ? `${costWords(known)} and ` : ''}an unknown price`
      : costWords(known);
  return <span className="text-faint">+ {words} for called agents</span>;
}

function AgentLink({ id }: { id: string }) {
  const name = useAgentName(id);
  return (
    <Link to="/a/$id" params={{ id }} className="inline-flex items-center gap-1.5 hover:underline">
      <AgentAvatar id={id} size={20} />
      {name}
    </Link>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex min-w-0 items-center gap-1.5">
      <dt className="shrink-0 text-faint text-xs">{name}</dt>
      <dd className="flex min-w-0 items-center gap-1">{children}</dd>
    </div>
  );
}

function tokenDetail({ usage: { cachedInputTokens, reasoningTokens } }: StoredRunDetail): string {
  return `${cachedInputTokens.toLocaleString('en')} of the input from the provider's cache, ${reasoningTokens.toLocaleString('en')} of the output for reasoning`;
}
