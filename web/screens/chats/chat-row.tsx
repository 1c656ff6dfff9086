import { Link } from '@tanstack/react-router';
import { FlaskConical, Waypoints } from 'lucide-react';
import { memo } from 'react';
import type { FoundChat } from '../../../src/chats/chats.ts';
import { AgentAvatar } from '../../parts/agents/agent-avatar.tsx';
import { classes } from '../../ui/classes.ts';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { ChatMenu } from './chat-menu.tsx';
import { keepFilters } from './chat-search.ts';
import { markWords, plainSnippet } from './mark-words.ts';
import { StateMark } from './state-mark.tsx';

export interface ChatRowProps {
  chat: FoundChat;
  agentName: string;
  /** The words that found it. */
  sought: string;
  isOpen: boolean;
  onOpen: () => void;
  onRename: (chat: FoundChat) => void;
  onDelete: (chat: FoundChat) => void;
}

export const ChatRow = memo(function ChatRow({
  chat,
  agentName,
  sought,
  isOpen,
  onOpen,
  onRename,
  onDelete,
}: ChatRowProps) {
  const { kind } = chat.origin;
  return (
    <div
      className={classes(
        'group relative rounded-lg transition-colors',
        isOpen ? 'bg-pressed' : 'focus-within:bg-hover hover:bg-hover',
      )}
    >
      <Link
        to="/chat/$id"
        params={{ id: chat.id }}
        search={keepFilters}
        resetScroll={false}
        preload={false}
        data-chat={chat.id}
        aria-current={isOpen ? 'page' : undefined}
        onClick={onOpen}
        className="flex items-start gap-2.5 rounded-lg py-2 pr-9 pl-2.5 outline-offset-[-2px]"
      >
        <span className="mt-0.5 shrink-0">
          <AgentAvatar id={chat.agentId} size={24} />
        </span>
        <span className="min-w-0 flex-1">
          <span className="flex items-center gap-1.5">
            <span className={classes('min-w-0 flex-1 truncate text-sm', isOpen && 'font-medium')}>{chat.title}</span>
            <StateMark state={chat.state} />
          </span>
          {chat.snippet !== null && (
            <span className="mt-0.5 line-clamp-3 text-muted text-xs [overflow-wrap:anywhere]">
              {markWords(plainSnippet(chat.snippet), sought).map(({ at, text, isMarked }) =>
                isMarked ? (
                  <mark key={at} className="rounded-xs bg-warn-soft font-medium text-text">
                    {text}
                  </mark>
                ) : (
                  text
                ),
              )}
            </span>
          )}
          <span className="mt-0.5 flex items-center gap-1 text-faint text-xs [&_svg]:size-3">
            {kind === 'test' && <FlaskConical aria-label="Test of a tool" />}
            {kind === 'a2a' && <Waypoints aria-label="From another agent" />}
            <span className="min-w-0 truncate">{agentName}</span>
            <span aria-hidden>·</span>
            <RelativeTime at={new Date(chat.updatedAt).toISOString()} className="shrink-0" />
          </span>
        </span>
      </Link>
      <span className="absolute top-1.5 right-1.5 transition-opacity focus-within:opacity-100 group-hover:opacity-100 has-data-popup-open:opacity-100 [@media(hover:hover)]:opacity-0">
        <ChatMenu size="sm" chat={chat} onRename={() => onRename(chat)} onDelete={() => onDelete(chat)} />
      </span>
    </div>
  );
});
