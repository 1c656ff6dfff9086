import { ArrowDown } from 'lucide-react';
import { memo, useLayoutEffect, useRef, useState } from 'react';
import type { Turn } from '../../../src/chats/transcript.ts';
import type { ApprovalAnswer } from '../../../src/engine/run-events.ts';
import { Button } from '../../ui/button.tsx';
import { AnswerView } from './answer-view.tsx';
import type { ChatState } from './chat-state.ts';
import { MessageView } from './message-view.tsx';
import { useStickToBottom } from './use-stick-to-bottom.ts';

export interface TurnListProps {
  turns: readonly Turn[];
  state: ChatState;
  /** Names of agents by their ids. */
  names: ReadonlyMap<string, string>;
  deciding: string | null;
  onApprove: (toolUseId: string, answer: ApprovalAnswer) => void;
  onResend: (messageId: string, text: string) => Promise<boolean>;
  onRetry: () => void;
}

/** So many of the newest are drawn; the earlier ones come when they are asked for. */
const shownFirst = 30;

/** The conversation. Its end stays in sight unless somebody reads further up. */
export function TurnList({ turns, state, names, deciding, onApprove, onResend, onRetry }: TurnListProps) {
  const { scroller, content, isAtEnd, jump } = useStickToBottom();
  const [shown, setShown] = useState(shownFirst);
  const canSend = state === 'idle' || state === 'interrupted';
  const newest = turns.at(-1)?.messageId;
  const hidden = Math.max(0, turns.length - shown);

  // What one sends oneself is wanted in sight.
  useLayoutEffect(() => {
    if (newest !== undefined) jump();
  }, [newest, jump]);

  // What is added above does not move what is read.
  const heightBefore = useRef<number | null>(null);
  useLayoutEffect(() => {
    const box = scroller.current;
    if (box && heightBefore.current !== null) box.scrollTop += box.scrollHeight - heightBefore.current;
    heightBefore.current = null;
  });

  return (
    <div className="relative min-h-0 flex-1">
      <div ref={scroller} className="h-full overflow-y-auto overscroll-contain [overflow-anchor:none]">
        <div ref={content} className="mx-auto w-full max-w-3xl px-4 pt-5 pb-8 sm:px-6">
          {hidden > 0 && (
            <div className="mb-5 text-center">
              <Button
                size="sm"
                variant="ghost"
                onClick={() => {
                  heightBefore.current = scroller.current?.scrollHeight ?? null;
                  setShown(shown + shownFirst);
                }}
              >
                Show earlier messages ({hidden})
              </Button>
            </div>
          )}
          <ol aria-label="Conversation" className="flex flex-col gap-6">
            {turns.slice(hidden).map((turn) => (
              <TurnItem
                key={turn.messageId}
                turn={turn}
                agentNames={names}
                isInterrupted={turn.messageId === newest && state === 'interrupted'}
                deciding={turn.messageId === newest ? deciding : null}
                onApprove={onApprove}
                onResend={canSend ? onResend : null}
                onRetry={canSend && turn.messageId === newest ? onRetry : null}
              />
            ))}
          </ol>
        </div>
      </div>
      {!isAtEnd && (
        <Button
          size="sm"
          icon={<ArrowDown aria-hidden />}
          onClick={jump}
          className="-translate-x-1/2 absolute bottom-3 left-1/2 rounded-full! shadow-pop!"
        >
          Jump to latest
        </Button>
      )}
    </div>
  );
}

interface TurnItemProps {
  turn: Turn;
  agentNames: TurnListProps['names'];
  isInterrupted: boolean;
  deciding: string | null;
  onApprove: TurnListProps['onApprove'];
  onResend: TurnListProps['onResend'] | null;
  onRetry: (() => void) | null;
}

const TurnItem = memo(function TurnItem(props: TurnItemProps) {
  const { turn, agentNames, isInterrupted, deciding, onApprove, onResend, onRetry } = props;
  const last = turn.answers.at(-1);
  return (
    <li className="flex flex-col gap-4">
      <MessageView messageId={turn.messageId} text={turn.text} at={turn.at} onResend={onResend} />
      {turn.answers.map((answer) => (
        <AnswerView
          key={answer.runId}
          answer={answer}
          agentName={agentNames.get(answer.agentId) ?? answer.agentId}
          isInterrupted={isInterrupted && answer === last}
          deciding={deciding}
          onApprove={onApprove}
          onRetry={answer === last ? onRetry : null}
        />
      ))}
      {!last && onRetry && (
        <p className="flex flex-wrap items-center gap-3 text-muted text-sm">
          It was not answered.
          <Button size="sm" onClick={onRetry}>
            Answer it now
          </Button>
        </p>
      )}
    </li>
  );
});
