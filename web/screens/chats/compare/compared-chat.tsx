import { Link } from '@tanstack/react-router';
import { FileQuestion, MessagesSquare } from 'lucide-react';
import { useEffect } from 'react';
import type { Chat } from '../../../../src/chats/chat.ts';
import type { ApprovalAnswer } from '../../../../src/engine/run-events.ts';
import { type ChatChange, useChat, useUpdateChat } from '../../../api/chat-queries.ts';
import { ApiError } from '../../../api/client.ts';
import { useChatStream } from '../../../api/use-chat-stream.ts';
import { Button, buttonClass } from '../../../ui/button.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorState } from '../../../ui/error-state.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { AgentSwitch, ModelSwitch } from '../chat-header.tsx';
import { type ChatState, currentState, waitingCall } from '../chat-state.ts';
import { TurnList } from '../conversation/turn-list.tsx';
import { FailureNote } from '../failure-note.tsx';
import { failureOf, useChatActions } from '../use-chat-actions.ts';
import type { AnswerKeys } from '../use-chat-keys.ts';

export interface ComparedChatProps {
  id: string;
  /** Agent names by id; undefined until they load. */
  names: ReadonlyMap<string, string> | undefined;
  /** Whether 1 to 4 decide its waiting call. */
  hasKeys: boolean;
  /** Called with its state, and with what the keyboard does in it. */
  onState: (id: string, state: ChatState | 'gone', keys: AnswerKeys) => void;
  /** Another agent takes the place of a chat that is gone. */
  onReplace: () => void;
}

/** One side of a comparison: who answers, the answer with its time, tokens and cost, and the way to its chat. */
export function ComparedChat(props: ComparedChatProps) {
  const { id, onState, onReplace } = props;
  const { data: chat, error, refetch } = useChat(id);
  const isGone = error instanceof ApiError && error.isNotFound;
  useEffect(() => {
    if (isGone) onState(id, 'gone', { stop: null, decide: null });
  }, [id, isGone, onState]);

  if (isGone)
    return (
      <EmptyState
        art={<FileQuestion className="size-10" strokeWidth={1.5} />}
        title="Chat not found"
        actions={<Button onClick={onReplace}>Choose another agent</Button>}
      >
        It may have been deleted. The other side is still here.
      </EmptyState>
    );
  if (chat) return <FollowedSide {...props} chat={chat} />;
  if (error) return <ErrorState title="The chat could not be loaded" error={error} onRetry={() => void refetch()} />;
  return <LoadingSide />;
}

function LoadingSide() {
  return (
    <div role="status" aria-busy="true" aria-label="Loading chat" className="flex flex-col gap-3 p-4">
      <Skeleton className="h-4 w-1/2" />
      <Skeleton className="h-24 w-full" />
    </div>
  );
}

/** Follows the events only after the chat is known to exist. */
function FollowedSide({ id, chat, names, hasKeys, onState }: ComparedChatProps & { chat: Chat }) {
  const { transcript, state: connection } = useChatStream(id);
  const actions = useChatActions(id);
  const update = useUpdateChat(id);
  const change = (next: ChatChange) => update.mutateAsync(next).then(() => null, failureOf);
  const state = currentState(chat, transcript);
  const isBusy = state === 'answering' || state === 'waiting';
  const waiting = state === 'waiting' ? waitingCall(transcript) : undefined;
  const { approve, deciding, stop } = actions;
  useEffect(() => {
    const decide = (answer: ApprovalAnswer) => waiting && deciding !== waiting.id && approve(waiting.id, answer);
    onState(id, state, { stop: isBusy ? stop : null, decide: waiting ? decide : null });
  }, [id, state, isBusy, waiting, deciding, approve, stop, onState]);

  if (connection === 'loading') return <LoadingSide />;
  return (
    <>
      <div className="flex items-center gap-1.5 border-line border-b px-3 py-1.5">
        <h2 className="sr-only">{names?.get(chat.agentId) ?? chat.agentId}</h2>
        <AgentSwitch chat={chat} isBusy={isBusy} onChoose={change} />
        <ModelSwitch
          key={`${id} ${chat.model ?? ''}`}
          chat={chat}
          isBusy={isBusy}
          onChoose={(model) => change({ model })}
        />
        <span className="flex-1" />
        {isBusy && (
          <Button size="sm" variant="ghost" onClick={actions.stop}>
            Stop
          </Button>
        )}
        <Link to="/chat/$id" params={{ id }} className={buttonClass({ size: 'sm' })}>
          <MessagesSquare aria-hidden />
          <span className="max-sm:sr-only">Continue as chat</span>
        </Link>
      </div>
      <TurnList
        chatId={id}
        transcript={transcript}
        state={state}
        names={names ?? noNames}
        hasKeys={hasKeys}
        deciding={actions.deciding}
        onApprove={actions.approve}
        onResend={actions.resend}
        onRetry={actions.retry}
        onSwitch={actions.chooseBranch}
      />
      {update.error && update.variables.model === undefined && (
        <div className="px-4 pb-2">
          <FailureNote what="Not saved" failure={failureOf(update.error)} />
        </div>
      )}
      {actions.failure && (
        <div className="px-4 pb-2">
          <FailureNote what="Not sent" failure={actions.failure} />
        </div>
      )}
    </>
  );
}

const noNames: ReadonlyMap<string, string> = new Map();
