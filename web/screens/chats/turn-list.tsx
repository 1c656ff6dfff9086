import { ArrowDown } from 'lucide-react';
import { memo, type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { Turn } from '../../../src/chats/transcript.ts';
import type { ApprovalAnswer } from '../../../src/engine/run-events.ts';
import { Button } from '../../ui/button.tsx';
import { AnswerView } from './answer-view.tsx';
import type { ChatState } from './chat-state.ts';
import { MessageView } from './message-view.tsx';

export interface TurnListProps {
  turns: readonly Turn[];
  state: ChatState;
  /** Agent names by id. */
  names: ReadonlyMap<string, string>;
  deciding: string | null;
  onApprove: (toolUseId: string, answer: ApprovalAnswer) => void;
  onResend: (messageId: string, text: string) => Promise<boolean>;
  onRetry: () => void;
}

/** The number of turns drawn first. The user can ask for earlier ones. */
const shownFirst = 30;

/** The conversation. Its end stays in view unless the user scrolls up. */
export function TurnList({ turns, state, names, deciding, onApprove, onResend, onRetry }: TurnListProps) {
  const { scroller, content, isAtEnd, jump } = useStickToBottom();
  const [shown, setShown] = useState(shownFirst);
  const canSend = state === 'idle' || state === 'interrupted';
  const newest = turns.at(-1)?.messageId;
  const hidden = Math.max(0, turns.length - shown);

  // Scrolls to the user's new message.
  useLayoutEffect(() => {
    if (newest !== undefined) jump();
  }, [newest, jump]);

  // Keeps the scroll position when earlier turns are added above.
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
          No reply yet.
          <Button size="sm" onClick={onRetry}>
            Retry
          </Button>
        </p>
      )}
    </li>
  );
});

/** The distance in pixels that counts as the end. */
const nearby = 48;

interface StickToBottom {
  scroller: RefObject<HTMLDivElement | null>;
  content: RefObject<HTMLDivElement | null>;
  /** False once the user has scrolled up. */
  isAtEnd: boolean;
  jump: () => void;
}

/** Keeps the end in view while the content grows, unless the user scrolls up. */
function useStickToBottom(): StickToBottom {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const isStuck = useRef(true);
  const [isAtEnd, setIsAtEnd] = useState(true);

  const jump = useCallback(() => {
    isStuck.current = true;
    setIsAtEnd(true);
    const box = scroller.current;
    if (box) box.scrollTop = box.scrollHeight;
  }, []);

  useLayoutEffect(jump, [jump]);
  useEffect(() => {
    const box = scroller.current;
    const inner = content.current;
    if (!box || !inner) return;
    let lastTop = box.scrollTop;
    const onScroll = () => {
      const isNear = box.scrollHeight - box.scrollTop - box.clientHeight < nearby;
      // Growing content also moves the end away, so only scrolling up releases it.
      if (isNear) isStuck.current = true;
      else if (box.scrollTop < lastTop - 1) isStuck.current = false;
      lastTop = box.scrollTop;
      setIsAtEnd(isStuck.current);
    };
    const observer = new ResizeObserver(() => {
      if (isStuck.current) box.scrollTop = box.scrollHeight;
    });
    observer.observe(inner);
    observer.observe(box);
    box.addEventListener('scroll', onScroll, { passive: true });
    return () => {
      observer.disconnect();
      box.removeEventListener('scroll', onScroll);
    };
  }, []);
  return { scroller, content, isAtEnd, jump };
}
