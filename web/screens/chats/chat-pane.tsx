import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { FileQuestion, WifiOff } from 'lucide-react';
import { type ReactNode, type RefObject, useEffect, useRef } from 'react';
import type { Chat } from '../../../src/chats/chat.ts';
import { chatKeys, useChat, useUpdateChat } from '../../api/chat-queries.ts';
import type { ChatView } from '../../api/chat-stream.ts';
import { ApiError } from '../../api/client.ts';
import { useChatStream } from '../../api/use-chat-stream.ts';
import { buttonClass } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { useTitle } from '../../ui/use-title.ts';
import { ChatHeader } from './chat-header.tsx';
import { type ChatState, newsKey, stateNow, waitingCall } from './chat-state.ts';
import { Composer } from './composer.tsx';
import { FailureNote } from './failure-note.tsx';
import { TestStrip } from './test-strip.tsx';
import { TurnList } from './turn-list.tsx';
import { failureOf, useChatActions } from './use-chat-actions.ts';
import { useAnswerKeys } from './use-chat-keys.ts';
import { addTab, removeTab } from './use-open-tabs.ts';

export interface ChatPaneProps {
  id: string;
  /** Undefined until they are loaded. */
  names: ReadonlyMap<string, string> | undefined;
  box: RefObject<HTMLTextAreaElement | null>;
  isContextOpen: boolean;
  onContext: () => void;
  menu: (chat: Chat) => ReactNode;
}

/** One chat, from loading to its end. */
export function ChatPane(props: ChatPaneProps) {
  const { id } = props;
  const { data: chat, error, refetch } = useChat(id);
  const isGone = error instanceof ApiError && error.isNotFound;
  useEffect(() => {
    if (isGone) removeTab(id);
    else if (chat) addTab(id);
  }, [id, chat, isGone]);

  if (isGone)
    return (
      <EmptyState
        level={1}
        art={<FileQuestion className="size-10" strokeWidth={1.5} />}
        title="There is no such chat"
        actions={
          <Link to="/chat" className={buttonClass({ variant: 'primary' })}>
            New chat
          </Link>
        }
      >
        It was deleted, or its address is not right.
      </EmptyState>
    );
  if (!chat && error)
    return <ErrorState title="The chat could not be loaded" error={error} onRetry={() => void refetch()} />;
  return chat ? <FollowedChat {...props} chat={chat} /> : <LoadingChat />;
}

/** Nobody asks again and again for the events of a chat that is not there. */
function FollowedChat(props: ChatPaneProps & { chat: Chat }) {
  const view = useChatStream(props.id);
  return view.state === 'loading' ? <LoadingChat /> : <LoadedChat {...props} view={view} />;
}

const noNames: ReadonlyMap<string, string> = new Map();

function LoadedChat({
  id,
  chat,
  view: { transcript, state: connection },
  names,
  box,
  isContextOpen,
  onContext,
  menu,
}: ChatPaneProps & { chat: Chat; view: ChatView }) {
  useTitle(chat.title);
  const actions = useChatActions(id);
  const update = useUpdateChat(id);
  const state = stateNow(chat, transcript);
  const waiting = state === 'waiting' ? waitingCall(transcript) : undefined;
  const isBusy = state === 'answering' || state === 'waiting';
  const isAgentGone = names !== undefined && !names.has(chat.agentId);
  useNews(id, newsKey(transcript));
  useAnswerKeys({
    stop: isBusy ? actions.stop : null,
    decide: waiting && actions.deciding !== waiting.id ? (answer) => actions.approve(waiting.id, answer) : null,
  });

  const reason =
    connection === 'lost'
      ? 'The hub does not answer. What you write stays here.'
      : isAgentGone
        ? 'The agent is gone: choose another one above.'
        : state === 'waiting'
          ? 'A call needs your approval.'
          : state === 'answering'
            ? 'It answers.'
            : null;
  return (
    <>
      <ChatHeader
        chat={chat}
        isBusy={isBusy}
        isContextOpen={isContextOpen}
        onContext={onContext}
        onChange={(change) => update.mutate(change)}
        menu={menu(chat)}
      />
      <TestStrip chat={chat} />
      {transcript.turns.length === 0 ? (
        <div className="flex min-h-0 flex-1 items-center justify-center p-6 text-center text-muted text-sm">
          Nothing was said yet. Write the first message.
        </div>
      ) : (
        <TurnList
          turns={transcript.turns}
          state={state}
          names={names ?? noNames}
          deciding={actions.deciding}
          onApprove={actions.approve}
          onResend={actions.resend}
          onRetry={actions.retry}
        />
      )}
      <div className="mx-auto w-full max-w-3xl px-3 pb-3 sm:px-6">
        {connection === 'lost' && (
          <p role="status" className="flex items-center gap-1.5 pb-2 text-warn text-xs">
            <WifiOff aria-hidden className="size-3.5" />
            The connection to the hub is lost. It is tried again; nothing of the answer will be missing.
          </p>
        )}
        {actions.failure && (
          <div className="pb-2">
            <FailureNote what="Not sent" failure={actions.failure} />
          </div>
        )}
        {update.error && (
          <div className="pb-2">
            <FailureNote what="Not changed" failure={failureOf(update.error)} />
          </div>
        )}
        <p role="status" className="sr-only">
          {stateSentences[state](waiting?.tool)}
        </p>
        <Composer
          draft={id}
          box={box}
          placeholder={`Message ${names?.get(chat.agentId) ?? chat.agentId}`}
          reason={reason}
          reasonKeys={state === 'waiting' ? 'Esc leads to it.' : state === 'answering' ? 'Esc stops it.' : undefined}
          onSend={actions.send}
          onStop={isBusy ? actions.stop : null}
        />
      </div>
    </>
  );
}

/** For those who do not see the page. */
const stateSentences: Record<ChatState, (tool: string | undefined) => string> = {
  idle: () => '',
  answering: () => 'The agent answers.',
  waiting: (tool) => `The call of ${tool ?? 'a tool'} needs your approval.`,
  interrupted: () => 'The answer was interrupted.',
};

/** What is told of the chat elsewhere (its state, its sums) is other after such an event. */
function useNews(id: string, key: string): void {
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
      aria-label="Loading the chat"
      className="mx-auto flex w-full max-w-3xl flex-1 flex-col gap-5 px-6 pt-16"
    >
      <Skeleton className="ml-auto h-10 w-1/2 rounded-2xl" />
      <Skeleton className="h-4 w-3/4" />
      <Skeleton className="h-4 w-2/3" />
      <Skeleton className="h-24 w-full" />
    </div>
  );
}
