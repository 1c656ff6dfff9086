import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { FileQuestion, FlaskConical, WifiOff } from 'lucide-react';
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import type { Chat } from '../../../src/chats/chat.ts';
import type { Transcript, Turn } from '../../../src/chats/transcript.ts';
import { chatKeys, useChat, useUpdateChat } from '../../api/chat-queries.ts';
import type { ChatView } from '../../api/chat-stream.ts';
import { ApiError } from '../../api/client.ts';
import { useChatStream } from '../../api/use-chat-stream.ts';
import { useNoteOpened } from '../../parts/recent/opened.ts';
import { buttonClass } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { Folding } from '../../ui/folding.tsx';
import { JsonView } from '../../ui/json-view.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { useTitle } from '../../ui/use-title.ts';
import { ChatHeader } from './chat-header.tsx';
import { type ChatState, currentState, summaryKey, waitingCall } from './chat-state.ts';
import { addTab, removeTab } from './chat-storage.ts';
import { Composer } from './compose/composer.tsx';
import { useAttachments } from './compose/use-attachments.ts';
import { TurnList } from './conversation/turn-list.tsx';
import { FailureNote } from './failure-note.tsx';
import { failureOf, useChatActions } from './use-chat-actions.ts';
import { useAnswerKeys } from './use-chat-keys.ts';

export interface ChatPaneProps {
  id: string;
  /** The run whose answer to show; its branch becomes the active one. */
  run: string | undefined;
  /** Agent names by id; undefined until they load. */
  names: ReadonlyMap<string, string> | undefined;
  box: RefObject<HTMLTextAreaElement | null>;
  isContextOpen: boolean;
  onContext: () => void;
  menu: (chat: Chat) => ReactNode;
}

/** One chat: loading, missing, failed or open. */
export function ChatPane(props: ChatPaneProps) {
  const { id } = props;
  const [opener] = useState(() => document.activeElement);
  const { data: chat, error, refetch } = useChat(id);
  const isGone = error instanceof ApiError && error.isNotFound;
  useNoteOpened('chat', id, isGone ? null : chat?.title);
  useEffect(() => {
    if (isGone) removeTab(id);
    else if (chat) addTab(id);
  }, [id, chat, isGone]);

  if (isGone)
    return (
      <EmptyState
        level={1}
        art={<FileQuestion className="size-10" strokeWidth={1.5} />}
        title="Chat not found"
        actions={
          <Link to="/chat" className={buttonClass({ variant: 'primary' })}>
            New chat
          </Link>
        }
      >
        It may have been deleted, or the link is wrong.
      </EmptyState>
    );
  if (!chat && error)
    return <ErrorState level={1} title="The chat could not be loaded" error={error} onRetry={() => void refetch()} />;
  return chat ? <FollowedChat {...props} chat={chat} opener={opener} /> : <LoadingChat />;
}

interface FollowedChatProps extends ChatPaneProps {
  chat: Chat;
  /** What had the focus when the chat was opened. */
  opener: Element | null;
}

/** Follows the events only after the chat is known to exist. */
function FollowedChat(props: FollowedChatProps) {
  const view = useChatStream(props.id);
  return view.state === 'loading' ? <LoadingChat /> : <LoadedChat {...props} view={view} />;
}

const noNames: ReadonlyMap<string, string> = new Map();

function LoadedChat({
  id,
  chat,
  view: { transcript, state: connection },
  run,
  names,
  box,
  isContextOpen,
  onContext,
  menu,
  opener,
}: FollowedChatProps & { view: ChatView }) {
  useTitle(chat.title);
  const actions = useChatActions(id);
  const update = useUpdateChat(id);
  const attachments = useAttachments(id);
  const state = currentState(chat, transcript);
  const waiting = state === 'waiting' ? waitingCall(transcript) : undefined;
  const isBusy = state === 'answering' || state === 'waiting';
  const isAgentGone = names !== undefined && !names.has(chat.agentId);
  useSummaryRefresh(id, summaryKey(transcript));
  useBranchOf(run, transcript, actions.chooseBranch);
  useAnswerKeys({
    stop: isBusy ? actions.stop : null,
    decide: waiting && actions.deciding !== waiting.id ? (answer) => actions.approve(waiting.id, answer) : null,
  });

  const reason =
    connection === 'lost'
      ? 'The hub is not responding. Your draft is saved.'
      : isAgentGone
        ? 'This agent was deleted. Choose another one above.'
        : state === 'waiting'
          ? 'A call needs your approval.'
          : state === 'answering'
            ? 'Answering…'
            : null;
  return (
    <>
      <ChatHeader
        chat={chat}
        isBusy={isBusy}
        isContextOpen={isContextOpen}
        onContext={onContext}
        onChange={(change) => update.mutateAsync(change).then(() => null, failureOf)}
        menu={menu(chat)}
      />
      <TestStrip chat={chat} />
      {transcript.turns.length === 0 ? (
        <div className="flex min-h-0 flex-1 items-center justify-center p-6 text-center text-muted text-sm">
          No messages yet. Write the first one.
        </div>
      ) : (
        <TurnList
          chatId={id}
          run={run}
          transcript={transcript}
          state={state}
          names={names ?? noNames}
          deciding={actions.deciding}
          onApprove={actions.approve}
          onResend={actions.resend}
          onRetry={actions.retry}
          onSwitch={actions.chooseBranch}
        />
      )}
      <div className="mx-auto w-full max-w-3xl px-3 pb-3 sm:px-6">
        {connection === 'lost' && (
          <p role="status" className="flex items-center gap-1.5 pb-2 text-warn text-xs">
            <WifiOff aria-hidden className="size-3.5" />
            Connection lost. Reconnecting… You won't miss any of the answer.
          </p>
        )}
        {actions.failure && (
          <div className="pb-2">
            <FailureNote what="Not sent" failure={actions.failure} />
          </div>
        )}
        {update.error && update.variables.model === undefined && (
          <div className="pb-2">
            <FailureNote what="Not saved" failure={failureOf(update.error)} />
          </div>
        )}
        <p role="status" className="sr-only">
          {stateSentences[state](waiting?.tool)}
        </p>
        <Composer
          draft={id}
          box={box}
          opener={opener}
          attachments={attachments}
          placeholder={`Message ${names?.get(chat.agentId) ?? chat.agentId}`}
          reason={reason}
          reasonKeys={
            state === 'waiting' ? 'Press Esc to go to it.' : state === 'answering' ? 'Press Esc to stop.' : undefined
          }
          onSend={(text, files) => actions.send(text, transcript.turns.at(-1)?.messageId ?? null, files)}
          onStop={isBusy ? actions.stop : null}
        />
      </div>
    </>
  );
}

/** Announces the state to screen readers. */
const stateSentences: Record<ChatState, (tool: string | undefined) => string> = {
  idle: () => '',
  answering: () => 'The agent is answering.',
  waiting: (tool) => `The call to ${tool ?? 'a tool'} needs your approval.`,
  interrupted: () => 'The answer was interrupted.',
};

/** Opens the branch with the answer of a run, once. */
function useBranchOf(run: string | undefined, { turns, aside }: Transcript, choose: (messageId: string) => void): void {
  const opened = useRef<string>(undefined);
  useEffect(() => {
    if (run === undefined || opened.current === run) return;
    const hasRun = ({ answers }: Turn) => answers.some(({ runId }) => runId === run);
    const other = turns.some(hasRun) ? undefined : [...aside.values()].find(hasRun);
    if (!other && !turns.some(hasRun)) return;
    opened.current = run;
    if (other) choose(other.messageId);
  }, [run, turns, aside, choose]);
}

/** Refetches the chat's summary and the lists that show it when `key` changes. */
function useSummaryRefresh(id: string, key: string): void {
  const client = useQueryClient();
  const before = useRef(key);
  useEffect(() => {
    if (before.current === key) return;
    before.current = key;
    void client.invalidateQueries({ queryKey: chatKeys.one(id), exact: true });
    void client.invalidateQueries({ queryKey: chatKeys.lists });
  }, [client, id, key]);
}

function LoadingChat() {
  return (
    <div
      role="status"
      aria-busy="true"
      aria-label="Loading chat"
      className="mx-auto flex w-full max-w-3xl flex-1 flex-col gap-5 px-6 pt-16"
    >
      <h1 className="sr-only">Loading chat</h1>
      <Skeleton className="ml-auto h-10 w-1/2 rounded-2xl" />
      <Skeleton className="h-4 w-3/4" />
      <Skeleton className="h-4 w-2/3" />
      <Skeleton className="h-24 w-full" />
    </div>
  );
}

/** For a chat that tests a tool: the tool, the parameters, and a link back to it. */
function TestStrip({ chat }: { chat: Chat }) {
  if (chat.origin.kind !== 'test') return null;
  const { tool, parameters } = chat.origin;
  return (
    <section
      aria-label="Test"
      className="flex items-start gap-2 border-line border-b bg-violet-soft/60 px-3 py-1 sm:px-4"
    >
      <FlaskConical aria-hidden className="mt-2 size-4 shrink-0 text-violet max-md:mt-3" />
      <div className="min-w-0 flex-1">
        <Folding
          summary={
            <span className="flex min-w-0 flex-wrap items-baseline gap-x-2 text-sm">
              <span>
                Test of <span className="ml-0.5 font-mono text-xs">{tool}</span>
              </span>
              <span className="min-w-0 truncate font-mono text-faint text-xs">{JSON.stringify(parameters)}</span>
            </span>
          }
        >
          <JsonView value={parameters} label={`Parameters of ${tool}`} />
        </Folding>
      </div>
      <Link
        to="/a/$id"
        params={{ id: chat.agentId }}
        search={{ tab: 'offered-tools', tool }}
        className={`${buttonClass({ size: 'sm' })} mt-0.5`}
      >
        Back to tool
      </Link>
    </section>
  );
}
