import { Link } from '@tanstack/react-router';
import { MessagesSquare } from 'lucide-react';
import { useEffect } from 'react';
import { useChat } from '../../../api/chat-queries.ts';
import { useChatStream } from '../../../api/use-chat-stream.ts';
import { AgentAvatar } from '../../../parts/agents/agent-avatar.tsx';
import { Button, buttonClass } from '../../../ui/button.tsx';
import { ErrorState } from '../../../ui/error-state.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { currentState } from '../chat-state.ts';
import { TurnList } from '../conversation/turn-list.tsx';
import { FailureNote } from '../failure-note.tsx';
import { useChatActions } from '../use-chat-actions.ts';

export interface ComparedChatProps {
  id: string;
  /** Agent names by id. */
  names: ReadonlyMap<string, string>;
  /** Called with whether an answer is in progress. */
  onBusy: (isBusy: boolean) => void;
}

/** One side of a comparison: who answers, the answer with its time, tokens and cost, and the way to its chat. */
export function ComparedChat({ id, names, onBusy }: ComparedChatProps) {
  const { data: chat, error, refetch } = useChat(id);
  const { transcript, state: connection } = useChatStream(id);
  const actions = useChatActions(id);
  const state = chat ? currentState(chat, transcript) : 'idle';
  const isBusy = state === 'answering' || state === 'waiting';
  useEffect(() => onBusy(isBusy), [isBusy, onBusy]);

  if (error) return <ErrorState title="The chat could not be loaded" error={error} onRetry={() => void refetch()} />;
  if (!chat || connection === 'loading')
    return (
      <div role="status" aria-busy="true" aria-label="Loading chat" className="flex flex-col gap-3 p-4">
        <Skeleton className="h-4 w-1/2" />
        <Skeleton className="h-24 w-full" />
      </div>
    );
  const name = names.get(chat.agentId) ?? chat.agentId;
  return (
    <>
      <div className="flex items-center gap-2 border-line border-b px-4 py-1.5">
        <AgentAvatar id={chat.agentId} size={22} />
        <h2 className="min-w-0 flex-1 truncate font-medium font-sans text-sm">
          {name}
          {chat.model && <span className="ml-2 font-mono font-normal text-2xs text-faint">{chat.model}</span>}
        </h2>
        {isBusy && (
          <Button size="sm" variant="ghost" onClick={actions.stop}>
            Stop
          </Button>
        )}
        <Link to="/chat/$id" params={{ id }} className={buttonClass({ size: 'sm' })}>
          <MessagesSquare aria-hidden />
          Continue as chat
        </Link>
      </div>
      <TurnList
        chatId={id}
        transcript={transcript}
        state={state}
        names={names}
        deciding={actions.deciding}
        onApprove={actions.approve}
        onResend={actions.resend}
        onRetry={actions.retry}
        onSwitch={actions.chooseBranch}
      />
      {actions.failure && (
        <div className="px-4 pb-2">
          <FailureNote what="Not sent" failure={actions.failure} />
        </div>
      )}
    </>
  );
}
