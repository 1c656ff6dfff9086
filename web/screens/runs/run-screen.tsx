import { Link, useParams } from '@tanstack/react-router';
import { ArrowLeft, Bot, FileQuestion, Globe, Unplug, UserRound } from 'lucide-react';
import { type ReactNode, useMemo } from 'react';
import type { StoredRunDetail } from '../../../src/engine/run-store.ts';
import { conversationOf, type RunTurn } from '../../../src/runs/run-conversation.ts';
import { ApiError } from '../../api/client.ts';
import { useAgents } from '../../api/queries.ts';
import { useRun } from '../../api/run-queries.ts';
import { AgentAvatar } from '../../parts/agents/agent-avatar.tsx';
import { CallCard } from '../../parts/runs/call-card.tsx';
import { Thought } from '../../parts/runs/thought.tsx';
import { costWords } from '../../parts/runs/usage-words.ts';
import { ContentView } from '../../parts/tools/content-view.tsx';
import { durationName } from '../../parts/tools/read-content.ts';
import { Banner } from '../../ui/banner.tsx';
import { buttonClass } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { Page } from '../../ui/page.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { useTitle } from '../../ui/use-title.ts';
import { RunStateBadge } from './run-state.tsx';
import { runMs, stateSentences } from './run-words.ts';

/** One run: its conversation with every call and result. */
export function RunScreen() {
  const { id } = useParams({ from: '/runs/$id' });
  const { data, error, refetch } = useRun(id);
  useTitle(data?.title || 'Run');
  return (
    <Page className="max-w-4xl!">
      {data ? (
        <LoadedRun run={data} />
      ) : error instanceof ApiError && error.isNotFound ? (
        <EmptyState
          level={1}
          art={<FileQuestion className="size-10" strokeWidth={1.5} />}
          title="Run not found"
          actions={
            <Link to="/runs" className={buttonClass()}>
              All runs
            </Link>
          }
        />
      ) : error ? (
        <ErrorState title="The run could not be loaded" error={error} onRetry={() => void refetch()} />
      ) : (
        <div role="status" aria-busy="true" aria-label="Loading run" className="flex flex-col gap-4">
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
        <div className="flex items-start gap-2">
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
        </div>
        <dl className="mt-2 flex flex-wrap items-center gap-x-5 gap-y-2 text-sm">
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
          <Fact name="Ticks">
            <span className="tabular-nums">{run.ticks.toLocaleString('en')}</span>
          </Fact>
          <Fact name="Tokens">
            <span className="tabular-nums" title={tokenDetail(run)}>
              {run.usage.inputTokens.toLocaleString('en')} in, {run.usage.outputTokens.toLocaleString('en')} out
            </span>
          </Fact>
          <Fact name="Cost">
            <span className="tabular-nums">{run.cost === null ? 'Unknown price' : costWords(run.cost)}</span>
          </Fact>
          <Fact name="Id">
            <span className="inline-flex max-w-40 items-center">
              <code className="min-w-0 truncate font-mono text-muted text-xs">{run.id}</code>
              <CopyButton iconOnly label="Copy run id" text={run.id} />
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
      {run.outside.length > 0 && (
        <section aria-label="Read from outside" className="mb-4">
          <Banner tone="warn" icon={<Globe />}>
            <p>
              This conversation has read text from outside. By default, calls that can send or destroy something ask
              first, and are denied where nobody can be asked.
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
      <ol aria-label="Conversation" className="flex flex-col gap-3">
        {turns.map((turn, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a conversation only grows at its end.
          <li key={index}>
            <TurnView turn={turn} isInterrupted={run.status === 'interrupted'} />
          </li>
        ))}
      </ol>
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
          {run.status === 'running' ? 'Running…' : reason}
        </p>
      )}
    </>
  );
}

function AgentLink({ id }: { id: string }) {
  const name = useAgents().data?.agents.find((agent) => agent.id === id)?.name ?? id;
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
      <dt className="text-faint text-xs">{name}</dt>
      <dd className="flex min-w-0 items-center gap-1">{children}</dd>
    </div>
  );
}

function tokenDetail({ usage: { cachedInputTokens, reasoningTokens } }: StoredRunDetail): string {
  return `${cachedInputTokens.toLocaleString('en')} of the input from the provider's cache, ${reasoningTokens.toLocaleString('en')} of the output for reasoning`;
}

function TurnView({ turn, isInterrupted }: { turn: RunTurn; isInterrupted: boolean }) {
  switch (turn.kind) {
    case 'thought':
      return <Thought text={turn.text} />;
    case 'said':
      return <Said turn={turn} />;
    case 'call':
      return (
        <CallCard
          tool={turn.tool}
          input={turn.input}
          state={turn.state}
          result={turn.result}
          outside={turn.result?.outside?.source}
          isInterrupted={isInterrupted}
        />
      );
  }
}

const roleNames = { user: 'User', assistant: 'Agent', system: 'Instructions', tool: 'Tool' } as const;

function Said({ turn: { role, block } }: { turn: Extract<RunTurn, { kind: 'said' }> }) {
  const isUser = role === 'user';
  return (
    <article
      aria-label={roleNames[role]}
      className={classes(
        'rounded-card border px-4 py-3',
        isUser ? 'border-transparent bg-accent-soft' : 'border-line bg-surface shadow-card',
      )}
    >
      <p className="mb-1 flex items-center gap-1.5 text-faint text-xs [&_svg]:size-3.5">
        {isUser ? <UserRound aria-hidden /> : <Bot aria-hidden />}
        {roleNames[role]}
      </p>
      {block.type === 'text' ? (
        <p className="whitespace-pre-wrap text-pretty text-sm [overflow-wrap:anywhere]">{block.text}</p>
      ) : (
        <ContentView block={block} label={`${roleNames[role]}: ${block.type}`} />
      )}
    </article>
  );
}
