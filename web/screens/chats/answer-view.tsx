import { RotateCcw } from 'lucide-react';
import { memo, useEffect, useState } from 'react';
import type { Answer, AnswerPart } from '../../../src/chats/transcript.ts';
import type { ApprovalAnswer } from '../../../src/engine/run-events.ts';
import { AgentAvatar } from '../../parts/agents/agent-avatar.tsx';
import { CallCard } from '../../parts/runs/call-card.tsx';
import { Thought } from '../../parts/runs/thought.tsx';
import { costWords, tokenWords } from '../../parts/runs/usage-words.ts';
import { durationName } from '../../parts/tools/read-content.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { AnswerEnd } from './answer-end.tsx';
import { ApprovalButtons } from './approval-buttons.tsx';
import { StreamMarkdown } from './stream-markdown.tsx';

export interface AnswerViewProps {
  answer: Answer;
  /** The agent as people call it. */
  agentName: string;
  /** Its process is gone, although nothing says that it ended. */
  isInterrupted: boolean;
  /** The call whose approval is on its way. */
  deciding: string | null;
  onApprove: (toolUseId: string, answer: ApprovalAnswer) => void;
  /** Null when it cannot be answered again now. */
  onRetry: (() => void) | null;
}

/** What an agent answered: its words, what it thought, and each call in its place. */
export const AnswerView = memo(function AnswerView(props: AnswerViewProps) {
  const { answer, agentName, isInterrupted, deciding, onApprove, onRetry } = props;
  const { parts, status } = answer;
  const isOngoing = status === 'answering' && !isInterrupted;
  const wasCounted = answer.usage.inputTokens > 0 || answer.usage.outputTokens > 0;
  /** It has the button to try again. */
  const hasBanner = isInterrupted || status === 'interrupted' || status === 'failed';
  const firstWaiting = parts.find((part) => part.type === 'call' && part.state === 'waiting');
  return (
    <article aria-label={`Answer of ${agentName}`} data-answer={status} className="flex gap-3">
      <span className="mt-0.5 shrink-0 max-sm:hidden">
        <AgentAvatar id={answer.agentId} size={28} />
      </span>
      <div className="flex min-w-0 flex-1 flex-col gap-3">
        <p className="-mb-1 flex min-w-0 items-center gap-2 pt-1 text-xs">
          <span className="truncate font-medium">{agentName}</span>
          <span className="truncate font-mono text-2xs text-faint">{answer.model}</span>
        </p>
        {parts.map((part, index) => (
          <PartView
            // biome-ignore lint/suspicious/noArrayIndexKey: an answer only grows at its end.
            key={index}
            part={part}
            isOngoing={isOngoing && index === parts.length - 1}
            isInterrupted={isInterrupted || status === 'interrupted'}
            isAsked={isOngoing}
            hasKeys={part === firstWaiting}
            isDeciding={part.type === 'call' && part.id === deciding}
            onApprove={onApprove}
          />
        ))}
        {isOngoing && parts.at(-1)?.type !== 'text' && !firstWaiting && <Working since={answer.startedAt} />}
        <AnswerEnd answer={answer} isInterrupted={isInterrupted} onRetry={onRetry} />
        {!isOngoing && (
          <footer className="-mt-1.5 -ml-1.5 flex flex-wrap items-center gap-x-1 text-faint text-xs">
            {textOf(parts) !== '' && <CopyButton iconOnly label="Copy answer" text={() => textOf(parts)} />}
            {onRetry && !hasBanner && (
              <IconButton size="sm" label="Answer again" icon={<RotateCcw aria-hidden />} onClick={onRetry} />
            )}
            <span className="px-1.5 tabular-nums" title={usageDetail(answer)}>
              {[
                ...(wasCounted ? [tokenWords(answer.usage)] : []),
                ...(answer.cost === null || !wasCounted ? [] : [costWords(answer.cost)]),
                ...(answer.finishedAt === null ? [] : [durationName(answer.finishedAt - answer.startedAt)]),
              ].join(' · ')}
            </span>
          </footer>
        )}
      </div>
    </article>
  );
});

interface PartViewProps {
  part: AnswerPart;
  isOngoing: boolean;
  isInterrupted: boolean;
  /** Somebody waits for the decision. */
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
      const { id, tool, input, state, content, durationMs } = part;
      // A call that failed without a word was cut off: whether it had its effect is not known.
      const wasCutOff = state === 'failed' && content === undefined;
      return (
        <CallCard
          tool={tool}
          input={input}
          state={wasCutOff ? 'running' : state}
          result={content ? { content, isError: state === 'failed' || state === 'denied' } : null}
          durationMs={durationMs}
          isInterrupted={isInterrupted || wasCutOff}
          question={
            state === 'waiting' &&
            isAsked && (
              <ApprovalButtons
                tool={tool}
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

/** Says that something goes on before there is a word of it. */
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

function usageDetail({ usage: { cachedInputTokens, reasoningTokens } }: Answer): string {
  const [cached, reasoning] = [cachedInputTokens, reasoningTokens].map((count) => count.toLocaleString('en'));
  return `Tokens; ${cached} of the input from the provider's cache, ${reasoning} of the output for reasoning`;
}
