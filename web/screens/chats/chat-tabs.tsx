import { Link } from '@tanstack/react-router';
import { Columns2, Plus, X } from 'lucide-react';
import { useRef } from 'react';
import type { Chat } from '../../../src/chats/chat.ts';
import { AgentAvatar } from '../../parts/agents/agent-avatar.tsx';
import { classes } from '../../ui/classes.ts';
import { Tooltip } from '../../ui/tooltip.tsx';
import { useActiveInView } from '../../ui/use-active-in-view.ts';
import { keepFilters } from './chat-search.ts';
import { StateMark } from './state-mark.tsx';

export interface ChatTabsProps {
  /** `chat` is undefined while it loads. */
  tabs: readonly { id: string; chat: Chat | undefined }[];
  openId: string | undefined;
  onClose: (id: string) => void;
}

const tabClass =
  'flex h-9 items-center gap-1.5 rounded-lg text-muted text-xs outline-offset-[-2px] transition-colors hover:text-text';

/** Tabs for the open chats and a link to a new one. A middle click closes a tab. */
export function ChatTabs({ tabs, openId, onClose }: ChatTabsProps) {
  const row = useRef<HTMLUListElement>(null);
  useActiveInView(row, `${openId} ${tabs.length}`);
  return (
    <nav aria-label="Open chats" className="flex min-w-0 flex-1 items-center">
      <ul ref={row} className="relative flex min-w-0 items-center gap-0.5 overflow-x-auto py-1 [scrollbar-width:none]">
        {tabs.map(({ id, chat }) => (
          <li
            key={id}
            data-tab={id}
            className={classes(
              'group flex shrink-0 items-center rounded-lg',
              id === openId ? 'bg-pressed' : 'hover:bg-hover',
            )}
            onMouseDown={(event) => {
              if (event.button === 1) event.preventDefault();
            }}
            onAuxClick={(event) => {
              if (event.button !== 1) return;
              event.preventDefault();
              onClose(id);
            }}
          >
            <Link
              to="/chat/$id"
              params={{ id }}
              search={keepFilters}
              resetScroll={false}
              preload={false}
              aria-current={id === openId ? 'page' : undefined}
              title={chat?.title}
              className={classes(
                tabClass,
                'max-w-48 pr-1 pl-2 max-md:max-w-36',
                id === openId && 'font-medium text-text!',
              )}
            >
              {chat && <AgentAvatar id={chat.agentId} size={18} />}
              <span className="min-w-8 truncate">{chat?.title ?? '…'}</span>
              {chat && <StateMark state={chat.state} />}
            </Link>
            <button
              type="button"
              aria-label={`Close ${chat?.title ?? 'this chat'}`}
              onClick={() => onClose(id)}
              className="mr-1 inline-flex size-6 items-center justify-center rounded-md text-faint hover:bg-hover hover:text-text max-md:size-8"
            >
              <X aria-hidden className="size-3.5" />
            </button>
          </li>
        ))}
      </ul>
      <Tooltip label="New chat" shortcut="c">
        <Link
          to="/chat"
          search={keepFilters}
          resetScroll={false}
          aria-label="New chat"
          aria-current={openId === undefined ? 'page' : undefined}
          className={classes(tabClass, 'ml-0.5 shrink-0 px-2', openId === undefined ? 'bg-pressed' : 'hover:bg-hover')}
        >
          <Plus aria-hidden className="size-4" />
          {tabs.length === 0 && 'New chat'}
        </Link>
      </Tooltip>
      <Tooltip label="Compare two agents or models">
        <Link
          to="/chat/compare"
          aria-label="Compare two agents or models"
          className={classes(tabClass, 'ml-auto shrink-0 px-2 hover:bg-hover')}
        >
          <Columns2 aria-hidden className="size-4" />
          <span className="max-md:hidden">Compare</span>
        </Link>
      </Tooltip>
    </nav>
  );
}
