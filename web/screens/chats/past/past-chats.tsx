import { Link } from '@tanstack/react-router';
import { Columns2, FlaskConical, MessagesSquare, SearchX, Waypoints } from 'lucide-react';
import { memo, useMemo, useRef } from 'react';
import type { ChatOrigin } from '../../../../src/chats/chat.ts';
import type { FoundChat } from '../../../../src/chats/chats.ts';
import { useChats } from '../../../api/chat-queries.ts';
import { useDeleted } from '../../../api/pending-deletions.ts';
import { AgentAvatar } from '../../../parts/agents/agent-avatar.tsx';
import { AgentCombobox } from '../../../parts/agents/agent-combobox.tsx';
import { classes } from '../../../ui/classes.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorState } from '../../../ui/error-state.tsx';
import { NextPage } from '../../../ui/next-page.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { SearchField } from '../../../ui/search-field.tsx';
import { Select } from '../../../ui/select.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { useDebounced } from '../../../ui/use-debounced.ts';
import { VirtualList, type VirtualListHandle } from '../../../ui/virtual-list.tsx';
import { ChatMenu } from '../chat-menu.tsx';
import { keepFilters } from '../chat-search.ts';
import { comparisonWith, useComparisons } from '../compare/comparisons.ts';
import { StateMark } from '../state-mark.tsx';
import { markWords, plainSnippet } from './mark-words.ts';

export interface PastChatsProps {
  openId: string | undefined;
  /** Agent names by id. */
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

/** The height of a row without an excerpt. */
const rowHeight = 58;

/** Lists stored chats, newest first, with search and filters. Draws only the rows in view. */
export function PastChats(props: PastChatsProps) {
  const { openId, names, text, agentId, kind, onText, onAgent, onKind, onOpen, onRename, onDelete } = props;
  const searchText = useDebounced(text.trim(), 200);
  const results = useChats(useMemo(() => ({ text: searchText, agentId, origin: kind }), [searchText, agentId, kind]));
  const deleted = useDeleted();
  const chats = results.data?.pages.flatMap((page) => page.chats).filter(({ id }) => !deleted.has(`chat/${id}`));
  const list = useRef<VirtualListHandle>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const canLoadMore = results.hasNextPage && !results.isFetching && !results.isFetchNextPageError;
  const isFiltered = searchText !== '' || agentId !== undefined || kind !== undefined;

  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="flex flex-col gap-2 px-3 pt-3 pb-2">
        <SearchField
          label="Search past chats"
          placeholder="Search past chats"
          value={text}
          onChange={onText}
          onDown={() => list.current?.focusRow(0)}
        />
        <div className="flex gap-2">
          <AgentCombobox
            label="Filter by agent"
            hideLabel
            none="All agents"
            value={agentId ?? ''}
            onChange={(next) => onAgent(next || undefined)}
            className="flex-1"
            inputClass="h-7! text-xs!"
          />
          <Select
            label="Filter by kind"
            value={kind ?? ''}
            options={kinds}
            onChange={(next) => onKind(next || undefined)}
            className="h-7! shrink-0 text-xs! shadow-none!"
          />
        </div>
      </div>
      <div
        ref={scroller}
        className="min-h-0 flex-1 overflow-y-auto overscroll-contain px-2 pb-4 [overflow-anchor:none]"
      >
        {!chats ? (
          results.error ? (
            <ErrorState
              title="The chats could not be loaded"
              error={results.error}
              onRetry={() => void results.refetch()}
            />
          ) : (
            <LoadingRows />
          )
        ) : chats.length > 0 ? (
          <>
            <VirtualList
              label="Past chats"
              items={chats}
              keyOf={(chat) => chat.id}
              estimateSize={rowHeight}
              gap={2}
              scroller={scroller}
              handle={list}
              hasMore={results.hasNextPage}
              onNearEnd={canLoadMore ? () => void results.fetchNextPage() : undefined}
              className={classes('transition-opacity', results.isPlaceholderData && 'opacity-60')}
            >
              {(chat, index) => (
                <ChatRow
                  chat={chat}
                  row={index}
                  searchText={searchText}
                  agentName={names.get(chat.agentId) ?? chat.agentId}
                  isOpen={chat.id === openId}
                  onOpen={onOpen}
                  onRename={onRename}
                  onDelete={onDelete}
                />
              )}
            </VirtualList>
            {results.hasNextPage && (
              <NextPage
                error={results.isFetchNextPageError ? results.error : null}
                isLoading={results.isFetchingNextPage}
                onMore={() => void results.fetchNextPage()}
                className="py-2"
              />
            )}
          </>
        ) : isFiltered ? (
          <EmptyState art={<SearchX className="size-8" strokeWidth={1.5} />} title="No chats found">
            {searchText === '' ? 'Change the filters to see more chats.' : `No messages match “${searchText}”.`}
          </EmptyState>
        ) : (
          <EmptyState art={<MessagesSquare className="size-8" strokeWidth={1.5} />} title="No chats yet">
            Write a message to start one. Your chats stay here.
          </EmptyState>
        )}
      </div>
    </div>
  );
}

function LoadingRows() {
  return (
    <div role="status" aria-busy="true" aria-label="Loading chats" className="flex flex-col gap-4 px-2.5 pt-2">
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

interface ChatRowProps {
  chat: FoundChat;
  /** Its place in the list. */
  row: number;
  agentName: string;
  /** The words to highlight. */
  searchText: string;
  isOpen: boolean;
  onOpen: () => void;
  onRename: (chat: FoundChat) => void;
  onDelete: (chat: FoundChat) => void;
}

const ChatRow = memo(function ChatRow({
  chat,
  row,
  agentName,
  searchText,
  isOpen,
  onOpen,
  onRename,
  onDelete,
}: ChatRowProps) {
  const { kind } = chat.origin;
  const isCompared = comparisonWith(useComparisons(), chat.id) !== undefined;
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
        data-row={row}
        aria-current={isOpen ? 'page' : undefined}
        onClick={onOpen}
        className="flex items-start gap-2.5 rounded-lg px-2.5 py-2 outline-offset-[-2px]"
      >
        <span className="mt-0.5 shrink-0">
          <AgentAvatar id={chat.agentId} size={24} />
        </span>
        <span className="min-w-0 flex-1">
          <span className="flex items-center gap-1.5 group-focus-within:pr-6.5 group-hover:pr-6.5 [@media(hover:none)]:pr-6.5">
            <span className={classes('min-w-0 flex-1 truncate text-sm', isOpen && 'font-medium')}>{chat.title}</span>
            <StateMark state={chat.state} />
          </span>
          {chat.snippet !== null && (
            <span className="mt-0.5 line-clamp-3 text-muted text-xs [overflow-wrap:anywhere]">
              {chat.isOnOtherBranch && <span className="mr-1 text-faint italic">On another branch:</span>}
              {markWords(plainSnippet(chat.snippet), searchText).map(({ at, text, isMarked }) =>
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
            {kind === 'test' && <FlaskConical aria-label="Tool test" />}
            {isCompared && <Columns2 aria-label="Compared with another chat" />}
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
