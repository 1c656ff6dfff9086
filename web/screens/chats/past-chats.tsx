import { MessagesSquare, SearchX } from 'lucide-react';
import { type KeyboardEvent, useEffect, useMemo, useRef } from 'react';
import type { ChatOrigin } from '../../../src/chats/chat.ts';
import type { FoundChat } from '../../../src/chats/chats.ts';
import { useChats } from '../../api/chat-queries.ts';
import { AgentAvatar } from '../../parts/agents/agent-avatar.tsx';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorState, errorText } from '../../ui/error-state.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Select } from '../../ui/select.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { useDebounced } from '../../ui/use-debounced.ts';
import { ChatRow } from './chat-row.tsx';

export interface PastChatsProps {
  openId: string | undefined;
  /** Names of agents by their ids. */
  names: ReadonlyMap<string, string>;
  text: string;
  agentId: string | undefined;
  kind: ChatOrigin['kind'] | undefined;
  onText: (text: string) => void;
  onAgent: (agentId: string | undefined) => void;
  onKind: (kind: ChatOrigin['kind'] | undefined) => void;
  onOpen: () => void;
  onRename: (chat: FoundChat) => void;
  onDelete: (chat: FoundChat) => void;
}

const kinds: { value: ChatOrigin['kind'] | ''; label: string }[] = [
  { value: '', label: 'All kinds' },
  { value: 'chat', label: 'Chats' },
  { value: 'test', label: 'Tests' },
  { value: 'a2a', label: 'A2A' },
];

/** Every chat that is kept, newest first, found by its words. */
export function PastChats(props: PastChatsProps) {
  const { openId, names, text, agentId, kind, onText, onAgent, onKind, onOpen, onRename, onDelete } = props;
  const sought = useDebounced(text.trim(), 200);
  const found = useChats(useMemo(() => ({ text: sought, agentId, origin: kind }), [sought, agentId, kind]));
  const chats = found.data?.pages.flatMap((page) => page.chats);
  const list = useRef<HTMLUListElement>(null);
  const isFiltered = sought !== '' || agentId !== undefined || kind !== undefined;
  const ids = agentId !== undefined && !names.has(agentId) ? [...names.keys(), agentId] : [...names.keys()];

  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="flex flex-col gap-2 px-3 pt-3 pb-2">
        <SearchField
          label="Search past chats"
          placeholder="Search past chats"
          value={text}
          onChange={onText}
          onDown={() => list.current?.querySelector<HTMLElement>('[data-chat]')?.focus()}
        />
        <div className="flex gap-2">
          <Select
            label="Agent of the chats"
            value={agentId ?? ''}
            options={[
              { value: '', label: 'All agents' },
              ...ids.map((id) => ({ value: id, label: names.get(id) ?? id, icon: <AgentAvatar id={id} size={18} /> })),
            ]}
            onChange={(next) => onAgent(next || undefined)}
            className="h-7! flex-1 text-xs! shadow-none!"
          />
          <Select
            label="Kind of the chats"
            value={kind ?? ''}
            options={kinds}
            onChange={(next) => onKind(next || undefined)}
            className="h-7! shrink-0 text-xs! shadow-none!"
          />
        </div>
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto overscroll-contain px-2 pb-4">
        {!chats ? (
          found.error ? (
            <ErrorState
              title="The chats could not be loaded"
              error={found.error}
              onRetry={() => void found.refetch()}
            />
          ) : (
            <LoadingRows />
          )
        ) : chats.length > 0 ? (
          <>
            <ul
              ref={list}
              aria-label="Past chats"
              onKeyDown={moveBetweenRows}
              className={classes('flex flex-col gap-0.5 transition-opacity', found.isPlaceholderData && 'opacity-60')}
            >
              {chats.map((chat) => (
                <li key={chat.id}>
                  <ChatRow
                    chat={chat}
                    sought={sought}
                    agentName={names.get(chat.agentId) ?? chat.agentId}
                    isOpen={chat.id === openId}
                    onOpen={onOpen}
                    onRename={onRename}
                    onDelete={onDelete}
                  />
                </li>
              ))}
            </ul>
            {found.hasNextPage && (
              <NextPage
                error={found.isFetchNextPageError ? found.error : null}
                isLoading={found.isFetchingNextPage}
                onMore={() => void found.fetchNextPage()}
              />
            )}
          </>
        ) : isFiltered ? (
          <EmptyState art={<SearchX className="size-8" strokeWidth={1.5} />} title="No chat was found">
            {sought === '' ? 'None is of this agent and kind.' : `Nobody said “${sought}”.`}
          </EmptyState>
        ) : (
          <EmptyState art={<MessagesSquare className="size-8" strokeWidth={1.5} />} title="No chats yet">
            What you talk about with agents is kept here.
          </EmptyState>
        )}
      </div>
    </div>
  );
}

/** The next page is asked for when its place comes into sight. */
function NextPage({ error, isLoading, onMore }: { error: unknown; isLoading: boolean; onMore: () => void }) {
  const place = useRef<HTMLDivElement>(null);
  const latest = useRef(onMore);
  useEffect(() => {
    latest.current = onMore;
  });
  const isWanted = !isLoading && !error;
  useEffect(() => {
    if (!isWanted || !place.current) return;
    const observer = new IntersectionObserver((entries) => {
      if (entries.some((entry) => entry.isIntersecting)) latest.current();
    });
    observer.observe(place.current);
    return () => observer.disconnect();
  }, [isWanted]);
  return (
    <div ref={place} className="flex flex-col items-center gap-1 py-2 text-xs">
      {error ? (
        <span role="alert" className="text-danger">
          {errorText(error)}
        </span>
      ) : null}
      <Button size="sm" variant="ghost" busy={isLoading} onClick={onMore}>
        {error ? 'Try again' : 'Load more'}
      </Button>
    </div>
  );
}

function LoadingRows() {
  return (
    <div role="status" aria-busy="true" aria-label="Loading the chats" className="flex flex-col gap-4 px-2.5 pt-2">
      {['w-3/4', 'w-1/2', 'w-2/3', 'w-3/5', 'w-4/5'].map((width) => (
        <div key={width} className="flex gap-2.5">
          <Skeleton className="size-6 rounded-full" />
          <div className="flex flex-1 flex-col gap-2">
            <Skeleton className={classes('h-3.5', width)} />
            <Skeleton className="h-3 w-1/3" />
          </div>
        </div>
      ))}
    </div>
  );
}

function moveBetweenRows(event: KeyboardEvent<HTMLUListElement>): void {
  if (event.metaKey || event.ctrlKey || event.altKey || event.shiftKey) return;
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-chat]')];
  const index = rows.findIndex((row) => row.matches(':focus'));
  const next = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: rows.length - 1 }[event.key];
  if (index === -1 || next === undefined || !rows[next]) return;
  event.preventDefault();
  rows[next].focus();
}
