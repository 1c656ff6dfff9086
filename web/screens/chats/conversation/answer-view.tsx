import { Link } from '@tanstack/react-router';
import { BrainCircuit, ChartColumn, CircleX, Coins, Globe, RotateCcw, ServerCog, Unplug } from 'lucide-react';
import { memo, type ReactNode, useEffect, useState } from 'react';
import type { Answer, AnswerPart, Versions } from '../../../../src/chats/transcript.ts';
import type { ApprovalAnswer } from '../../../../src/engine/run-events.ts';
import { AgentAvatar } from '../../../parts/agents/agent-avatar.tsx';
import { CallCard } from '../../../parts/runs/call-card.tsx';
import { Thought } from '../../../parts/runs/thought.tsx';
import { costWords, tokenWords } from '../../../parts/runs/usage-words.ts';
import { ApprovalButtons } from '../../../parts/tools/approval-buttons.tsx';
import { Banner } from '../../../ui/banner.tsx';
import { Button, buttonClass } from '../../../ui/button.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { durationName } from '../../../ui/duration-name.ts';
import { IconButton } from '../../../ui/icon-button.tsx';
import { errorHelp } from '../error-help.ts';
import { StreamMarkdown } from './stream-markdown.tsx';
import { VersionSwitch } from './version-switch.tsx';

export interface AnswerViewProps {
  answer: Answer;
  /** The agent's display name. */
  agentName: string;
  /** The process ended without a final event. */
  isInterrupted: boolean;
  /** The id of the call whose decision is being sent. */
  deciding: string | null;
  /** Whether 1 to 4 decide the first waiting call. */
  hasKeys: boolean;
  onApprove: (toolUseId: string, answer: ApprovalAnswer) => void;
  /** Null when the answer cannot be retried now. */
  onRetry: (() => void) | null;
  /** The question has images, which not every model can read. */
  hasImages: boolean;
  /** Its versions, if there are several. */
  versions: Versions | undefined;
  onSwitch: ((messageId: string) => void) | null;
}

/** An agent's answer: text, reasoning and calls in order. */
export const AnswerView = memo(function AnswerView(props: AnswerViewProps) {
  const { answer, agentName, isInterrupted, deciding, hasKeys, onApprove, onRetry, hasImages } = props;
  const { versions, onSwitch } = props;
  const { parts, status } = answer;
  const isOngoing = status === 'answering' && !isInterrupted;
  const wasCounted = answer.usage.inputTokens > 0 || answer.usage.outputTokens > 0;
  /** The run of a copied answer may be gone. */
  const isKnown = answer.model !== '';
  /** The banner has its own retry button. */
  const hasBanner = isInterrupted || status === 'interrupted' || status === 'failed';
  const firstWaiting = parts.find((part) => part.type === 'call' && part.state === 'waiting');
  return (
    <article aria-label={`Answer from ${agentName}`} data-answer={status} className="flex gap-3">
      <span className="mt-0.5 shrink-0 max-sm:hidden">
        <AgentAvatar id={answer.agentId} size={28} />
      </span>
      <div className="flex min-w-0 flex-1 flex-col gap-3">
        <div className="-mb-1 flex min-w-0 items-center gap-2 pt-1 text-xs">
          <h2 className="truncate font-medium font-sans text-xs leading-4.5 tracking-normal">{agentName}</h2>
          <span className="truncate font-mono text-2xs text-faint">{answer.model}</span>
        </div>
        <PartList parts={parts}>
          {(part, index) => (
            <PartView
              key={index}
              part={part}
              isOngoing={isOngoing && index === parts.length - 1}
              isInterrupted={isInterrupted || status === 'interrupted'}
              isAsked={isOngoing}
              hasKeys={hasKeys && part === firstWaiting}
              isDeciding={part.type === 'call' && part.id === deciding}
              onApprove={onApprove}
            />
          )}
        </PartList>
        {isOngoing && parts.at(-1)?.type !== 'text' && !firstWaiting && <Working since={answer.startedAt} />}
        {answer.outside && !firstWaiting && <OutsideNote sources={answer.outside} />}
        <AnswerEnd answer={answer} isInterrupted={isInterrupted} onRetry={onRetry} />
        {status === 'failed' && hasImages && (
          <p className="text-muted text-sm">
            The message has images. If {answer.model} cannot read images, choose another model above and retry.
          </p>
        )}
        {isOngoing ? (
          <p className="-mt-1.5 -ml-1.5 text-faint text-xs">
            <StepsLink runId={answer.runId} />
          </p>
        ) : (
          <footer className="-mt-1.5 -ml-1.5 flex flex-wrap items-center gap-x-1 text-faint text-xs">
            {versions && <VersionSwitch what="answer" versions={versions} onSwitch={onSwitch} />}
            {textOf(parts) !== '' && <CopyButton iconOnly label="Copy answer" text={() => textOf(parts)} />}
            {onRetry && !hasBanner && (
              <IconButton size="sm" label="Answer again" icon={<RotateCcw aria-hidden />} onClick={onRetry} />
            )}
            <span className="px-1.5 tabular-nums" title={usageDetail(answer)}>
              {[
                ...(answer.isCopied ? ['Copied'] : []),
                ...(wasCounted ? [tokenWords(answer.usage)] : []),
                ...(answer.cost === null || !wasCounted ? [] : [costWords(answer.cost)]),
                // The time of a copied answer may be unknown.
                ...(answer.finishedAt === null || answer.finishedAt === answer.startedAt
                  ? []
                  : [durationName(answer.finishedAt - answer.startedAt)]),
              ].join(' · ')}
            </span>
            {isKnown && <StepsLink runId={answer.runId} />}
          </footer>
        )}
      </div>
    </article>
  );
});

function StepsLink({ runId }: { runId: string }) {
  return (
    <Link
      to="/runs/$id"
      params={{ id: runId }}
      className="rounded px-1.5 underline-offset-2 hover:text-text hover:underline"
    >
      Steps
    </Link>
  );
}

/** The number of parts that are added at once, and the maximum that is drawn. */
const pageParts = 200;
const maxParts = 400;

/** Draws the newest parts of an answer, and others on request. */
function PartList({
  parts,
  children,
}: {
  parts: readonly AnswerPart[];
  children: (part: AnswerPart, index: number) => ReactNode;
}) {
  const [earlier, setEarlier] = useState(0);
  const end = Math.max(Math.min(parts.length, maxParts), parts.length - Math.max(0, earlier - pageParts));
  const start = parts.length <= maxParts ? 0 : Math.max(0, parts.length - pageParts - earlier);
  return (
    <>
      {start > 0 && (
        <Button size="sm" variant="ghost" className="self-center" onClick={() => setEarlier(earlier + pageParts)}>
          Show earlier steps ({start.toLocaleString('en')})
        </Button>
      )}
      {parts.slice(start, end).map((part, index) => children(part, start + index))}
      {end < parts.length && (
        <Button
          size="sm"
          variant="ghost"
          className="self-center"
          onClick={() => setEarlier(Math.max(0, earlier - pageParts))}
        >
          Show later steps ({(parts.length - end).toLocaleString('en')})
        </Button>
      )}
    </>
  );
}

interface PartViewProps {
  part: AnswerPart;
  isOngoing: boolean;
  isInterrupted: boolean;
  /** The run is waiting for a decision. */
  isAsked: boolean;
  hasKeys: boolean;
  isDeciding: boolean;
  onApprove: AnswerViewProps['onApprove'];
}

const PartView = memo(function PartView(props: PartViewProps) {
  const { part, isOngoing, isInterrupted, isAsked, hasKeys, isDeciding, onApprove } = props;
  switch (part.type) {
    case 'text':
      return part.text.trim() === '' ? null : <StreamMarkdown text={part.text} isOngoing={isOngoing} />;
    case 'reasoning':
      return part.text.trim() === '' ? null : <Thought text={part.text} isOngoing={isOngoing} />;
    case 'call': {
      const { id, tool, input, state, content, durationMs, outside, asksAfter } = part;
      // A failed call without a result was cut off; it may still have taken effect.
      const wasCutOff = state === 'failed' && content === undefined;
      return (
        <CallCard
          tool={tool}
          input={input}
          state={wasCutOff ? 'running' : state}
          result={content ? { content, isError: state === 'failed' || state === 'denied' } : null}
          durationMs={durationMs}
          isInterrupted={isInterrupted || wasCutOff}
          outside={outside}
          question={
            state === 'waiting' &&
            isAsked && (
              <ApprovalButtons
                tool={tool}
                outside={asksAfter}
                isBusy={isDeciding}
                hasKeys={hasKeys}
                onAnswer={(answer) => onApprove(id, answer)}
              />
            )
          }
        />
      );
    }
  }
});

/** Says what the agent has read from outside in this answer, and what follows from it. */
function OutsideNote({ sources }: { sources: readonly string[] }) {
  return (
    <p data-outside className="flex items-start gap-1.5 text-muted text-xs [overflow-wrap:anywhere]">
      <Globe aria-hidden className="mt-0.5 size-3.5 shrink-0 text-warn" />
      <span>
        Read from outside: {sources.join('; ')}. By default, calls that can send or delete data now need approval.
      </span>
    </p>
  );
}

/** Shows activity before the first text arrives. */
function Working({ since }: { since: number }) {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setSeconds(Math.floor((Date.now() - since) / 1_000)), 1_000);
    return () => clearInterval(timer);
  }, [since]);
  return (
    <p className="flex items-center gap-1.5 text-faint text-xs">
      <span aria-hidden className="flex gap-1">
        {['', '[animation-delay:150ms]', '[animation-delay:300ms]'].map((delay) => (
          <span key={delay} className={`size-1.5 animate-pulse rounded-full bg-current ${delay}`} />
        ))}
      </span>
      {seconds >= 3 && <span className="tabular-nums">{seconds} s</span>}
    </p>
  );
}

function textOf(parts: readonly AnswerPart[]): string {
  return parts
    .flatMap((part) => (part.type === 'text' ? [part.text.trim()] : []))
    .filter((text) => text !== '')
    .join('\n\n');
}

function usageDetail({ isCopied, usage: { cachedInputTokens, reasoningTokens } }: Answer): string {
  const [cached, reasoning] = [cachedInputTokens, reasoningTokens].map((count) => count.toLocaleString('en'));
  const detail = `Tokens: ${cached} of the input from the provider's cache, ${reasoning} of the output for reasoning`;
  return isCopied ? `Counted in the original conversation, not in this chat. ${detail}` : detail;
}

interface AnswerEndProps {
  answer: Pick<Answer, 'status' | 'reason' | 'refusal' | 'model' | 'error' | 'parts'>;
  isInterrupted: boolean;
  onRetry: (() => void) | null;
}

/** Explains an answer that did not complete normally and offers the next step. */
function AnswerEnd({ answer, isInterrupted, onRetry }: AnswerEndProps) {
  const { status, reason, refusal, model, error, parts } = answer;
  const retry = onRetry && (
    <Button size="sm" icon={<RotateCcw aria-hidden />} onClick={onRetry}>
      Retry
    </Button>
  );
  if (isInterrupted || status === 'interrupted')
    return (
      <Banner tone="warn" icon={<Unplug />} actions={retry}>
        The hub stopped during this answer. The text so far is saved. A running call may have taken effect.
      </Banner>
    );
  switch (status) {
    case 'answering':
      return null;
    case 'completed':
      return parts.some(
        (part) => part.type !== 'reasoning' && (part.type === 'call' || part.text.trim() !== ''),
      ) ? null : (
        <p className="text-muted text-sm">The model returned an empty answer.</p>
      );
    case 'aborted':
      return <p className="text-muted text-sm">Stopped.</p>;
    case 'budget':
    case 'max-ticks':
      return (
        <Banner tone="warn" icon={<Coins />} actions={refusal && <RefusalActions kind={refusal} model={model} />}>
          {reason}
          {!refusal && ' Send a message to continue.'}
        </Banner>
      );
    case 'failed':
      return <FailedEnd error={error} reason={reason} retry={retry} />;
  }
}

/** Leads to where a budget of the hub can be raised, or the price be set that it needs. */
function RefusalActions({ kind, model }: { kind: NonNullable<Answer['refusal']>; model: string }) {
  return (
    <>
      {kind === 'unknown-price' && (
        <Link to="/models" search={{ price: model }} className={buttonClass({ size: 'sm' })}>
          <BrainCircuit aria-hidden />
          Set price
        </Link>
      )}
      <Link to="/usage" className={buttonClass({ size: 'sm' })}>
        <ChartColumn aria-hidden />
        Usage
      </Link>
    </>
  );
}

function FailedEnd({ error, reason, retry }: { error: Answer['error']; reason: string; retry: ReactNode }) {
  const { advice, leadsTo, canRetry } = errorHelp(error?.code ?? '', error?.reason);
  return (
    <Banner
      tone="danger"
      icon={<CircleX />}
      actions={
        <>
          {leadsTo === 'models' && (
            <Link to="/models" className={buttonClass({ size: 'sm' })}>
              <BrainCircuit aria-hidden />
              Models
            </Link>
          )}
          {leadsTo === 'servers' && (
            <Link to="/servers" className={buttonClass({ size: 'sm' })}>
              <ServerCog aria-hidden />
              Servers
            </Link>
          )}
          {canRetry && retry}
        </>
      }
    >
      <p className="[overflow-wrap:anywhere]">
        {error && !error.reason && <code className="mr-1.5 font-mono text-xs">{error.code}</code>}
        {error?.message ?? reason}
      </p>
      <p className="mt-0.5 text-muted text-xs">{advice}</p>
    </Banner>
  );
}
