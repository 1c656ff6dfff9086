import { ArrowDown } from 'lucide-react';
import { memo, type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { type AttachmentInput, isImage } from '../../../../src/chats/attachments/attachment.ts';
import { type Transcript, type Turn, type Versions, versionsOf } from '../../../../src/chats/transcript.ts';
import type { ApprovalAnswer } from '../../../../src/engine/run-events.ts';
import { Button } from '../../../ui/button.tsx';
import type { ChatState } from '../chat-state.ts';
import { AnswerView } from './answer-view.tsx';
import { MessageView } from './message-view.tsx';
import { VersionSwitch } from './version-switch.tsx';

export interface TurnListProps {
  chatId: string;
  /** The run whose answer to scroll to. */
  run?: string | undefined;
  transcript: Transcript;
  state: ChatState;
  /** Agent names by id. */
  names: ReadonlyMap<string, string>;
  deciding: string | null;
  /** Whether 1 to 4 decide the waiting call. */
  hasKeys?: boolean;
  onApprove: (toolUseId: string, answer: ApprovalAnswer) => void;
  onResend: (messageId: string, text: string, attachments: readonly AttachmentInput[]) => Promise<boolean>;
  onRetry: () => void;
  onSwitch: (messageId: string) => void;
}

/** The number of turns that are added at once, and the maximum that is drawn. */
const pageTurns = 30;
const maxTurns = 4 * pageTurns;

/** The conversation. Its end stays in view unless the user scrolls up. Draws a limited number of turns at once. */
export function TurnList(props: TurnListProps) {
  const {
    chatId,
    run,
    transcript,
    state,
    names,
    deciding,
    hasKeys = true,
    onApprove,
    onResend,
    onRetry,
    onSwitch,
  } = props;
  const { turns } = transcript;
  const { scroller, content, isAtEnd, jump, release } = useStickToBottom();
  const list = useRef<HTMLOListElement>(null);
  /** The number of newest turns that are not drawn, and the number of those that are. */
  const [hiddenAfter, setHiddenAfter] = useState(0);
  const [shown, setShown] = useState(pageTurns);
  const canSend = state === 'idle' || state === 'interrupted';
  const newest = turns.at(-1)?.messageId;
  const end = turns.length - Math.min(hiddenAfter, Math.max(0, turns.length - pageTurns));
  const start = Math.max(0, end - shown);
  const jumpToEnd = useCallback(() => {
    setHiddenAfter(0);
    setShown(pageTurns);
    jump();
  }, [jump]);

  // Scrolls to the user's new message, but not to the end of a branch that the user enters.
  const known = useRef(new Set<string>());
  useLayoutEffect(() => {
    if (newest !== undefined && !known.current.has(newest)) jumpToEnd();
    for (const { messageId } of turns) known.current.add(messageId);
    for (const messageId of transcript.aside.keys()) known.current.add(messageId);
  }, [newest, jumpToEnd, turns, transcript.aside]);

  // Keeps a turn in its place when turns are added above it or removed below it.
  const anchor = useRef<{ turn: HTMLElement; top: number } | null>(null);
  const hold = (turn: Element | null | undefined) => {
    anchor.current = turn instanceof HTMLElement ? { turn, top: turn.getBoundingClientRect().top } : null;
  };
  useLayoutEffect(() => {
    const { current: held } = anchor;
    anchor.current = null;
    if (held?.turn.isConnected && scroller.current)
      scroller.current.scrollTop += held.turn.getBoundingClientRect().top - held.top;
  });
  const showEarlier = () => {
    hold(list.current?.firstElementChild);
    const more = Math.min(pageTurns, start);
    release();
    setShown(Math.min(maxTurns, shown + more));
    setHiddenAfter(turns.length - end + Math.max(0, shown + more - maxTurns));
  };
  const showLater = () => {
    hold(list.current?.lastElementChild);
    release();
    setShown(maxTurns);
    setHiddenAfter(Math.max(0, turns.length - end - pageTurns));
  };
  // Scrolls to the answer of a run, once it is in the conversation. The last answer is in view anyway.
  const scrolledTo = useRef<string>(undefined);
  const [pending, setPending] = useState<string>();
  const wanted = run === undefined ? -1 : turns.findIndex(({ answers }) => answers.some(({ runId }) => runId === run));
  useEffect(() => {
    if (wanted === -1 || scrolledTo.current === run) return;
    scrolledTo.current = run;
    const after = turns.length - 1 - wanted;
    if (after === 0) return;
    release();
    setShown(pageTurns);
    setHiddenAfter(Math.max(0, after - pageTurns / 2));
    setPending(turns[wanted]?.messageId);
  }, [run, wanted, turns, release]);
  useLayoutEffect(() => {
    if (pending === undefined) return;
    const index = turns.slice(start, end).findIndex(({ messageId }) => messageId === pending);
    list.current?.children[index]?.scrollIntoView({ block: 'start' });
    setPending(undefined);
  }, [pending, turns, start, end]);
  const switchTo = useCallback(
    (messageId: string) => {
      release();
      onSwitch(messageId);
    },
    [release, onSwitch],
  );

  return (
    <div className="relative min-h-0 flex-1">
      <div ref={scroller} className="h-full overflow-y-auto overscroll-contain [overflow-anchor:none]">
        <div ref={content} className="mx-auto w-full max-w-3xl px-4 pt-5 pb-8 sm:px-6">
          {start > 0 && (
            <div className="mb-5 text-center">
              <Button size="sm" variant="ghost" onClick={showEarlier}>
                Show earlier messages ({start.toLocaleString('en')})
              </Button>
            </div>
          )}
          <ol ref={list} aria-label="Conversation" className="flex flex-col gap-6">
            {turns.slice(start, end).map((turn) => (
              <TurnItem
                // Versions of a message take each other's place, so that the focus stays on the arrows.
                key={turn.parentId}
                chatId={chatId}
                turn={turn}
                agentNames={names}
                isInterrupted={turn.messageId === newest && state === 'interrupted'}
                deciding={turn.messageId === newest ? deciding : null}
                hasKeys={hasKeys}
                onApprove={onApprove}
                onResend={canSend ? onResend : null}
                onRetry={canSend && turn.messageId === newest ? onRetry : null}
                versions={hasVersions(transcript, turn) ? versionsOf(transcript, turn) : undefined}
                onSwitch={canSend ? switchTo : null}
              />
            ))}
          </ol>
          {end < turns.length && (
            <div className="mt-5 text-center">
              <Button size="sm" variant="ghost" onClick={showLater}>
                Show later messages ({(turns.length - end).toLocaleString('en')})
              </Button>
            </div>
          )}
        </div>
      </div>
      {(!isAtEnd || end < turns.length) && (
        <Button
          size="sm"
          icon={<ArrowDown aria-hidden />}
          onClick={jumpToEnd}
          className="-translate-x-1/2 absolute bottom-3 left-1/2 rounded-full! shadow-pop!"
        >
          Jump to latest
        </Button>
      )}
    </div>
  );
}

function hasVersions({ following }: Transcript, { parentId }: Turn): boolean {
  return (following.get(parentId)?.length ?? 1) > 1;
}

interface TurnItemProps {
  chatId: string;
  turn: Turn;
  agentNames: TurnListProps['names'];
  isInterrupted: boolean;
  deciding: string | null;
  hasKeys: boolean;
  onApprove: TurnListProps['onApprove'];
  onResend: TurnListProps['onResend'] | null;
  onRetry: (() => void) | null;
  versions: { message: Versions; answer: Versions } | undefined;
  onSwitch: TurnListProps['onSwitch'] | null;
}

const TurnItem = memo(function TurnItem(props: TurnItemProps) {
  const { chatId, turn, agentNames, isInterrupted, deciding, hasKeys, onApprove, onResend, onRetry } = props;
  const { versions, onSwitch } = props;
  const last = turn.answers.at(-1);
  return (
    <li className="flex flex-col gap-4">
      <MessageView chatId={chatId} turn={turn} onResend={onResend} versions={versions?.message} onSwitch={onSwitch} />
      {turn.answers.map((answer, index) => (
        <AnswerView
          // biome-ignore lint/suspicious/noArrayIndexKey: a turn only gets more answers at its end.
          key={index}
          answer={answer}
          agentName={agentNames.get(answer.agentId) ?? answer.agentId}
          isInterrupted={isInterrupted && answer === last}
          deciding={deciding}
          hasKeys={hasKeys}
          onApprove={onApprove}
          onRetry={answer === last ? onRetry : null}
          hasImages={turn.attachments?.some(isImage) ?? false}
          versions={answer === last ? versions?.answer : undefined}
          onSwitch={onSwitch}
        />
      ))}
      {!last && onRetry && (
        <p className="flex flex-wrap items-center gap-3 text-muted text-sm">
          No reply yet.
          {versions && <VersionSwitch what="answer" versions={versions.answer} onSwitch={onSwitch} />}
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
  /** Stops following the end. */
  release: () => void;
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

  const release = useCallback(() => {
    isStuck.current = false;
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
  return { scroller, content, isAtEnd, jump, release };
}
