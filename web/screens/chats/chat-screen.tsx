import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { History } from 'lucide-react';
import { useId, useMemo, useRef, useState } from 'react';
import type { Chat } from '../../../src/chats/chat.ts';
import { useOpenChats, useRemoveChat, useUpdateChat } from '../../api/chat-queries.ts';
import { useAgents } from '../../api/queries.ts';
import { forgetChatStream } from '../../api/use-chat-stream.ts';
import { removeDraft } from '../../parts/drafts/drafts.ts';
import { useFormDraft } from '../../parts/drafts/use-form-draft.ts';
import { deleteLater } from '../../parts/undo/delete-later.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { errorText } from '../../ui/error-state.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { TextField } from '../../ui/input.tsx';
import { Sheet } from '../../ui/sheet.tsx';
import { useMedia } from '../../ui/use-media.ts';
import { ChatMenu } from './chat-menu.tsx';
import { ChatPane } from './chat-pane.tsx';
import type { ChatSearch } from './chat-search.ts';
import { addTab, neighborOf, openTabs, removeTab, useOpenTabs } from './chat-storage.ts';
import { ChatTabs } from './chat-tabs.tsx';
import { forgetComparisons } from './compare/comparisons.ts';
import { NewChat } from './compose/new-chat.tsx';
import { forgetFiles } from './compose/use-attachments.ts';
import { ContextPanel } from './context-panel.tsx';
import { PastChats } from './past/past-chats.tsx';
import { useChatKeys } from './use-chat-keys.ts';

/** Shows past chats, tabs for the open ones, and the selected conversation or a new chat. */
export function ChatScreen() {
  const navigate = useNavigate();
  const { id } = useParams({ strict: false });
  const search = useSearch({ from: '/chat' });
  const agents = useAgents().data?.agents;
  const names = useMemo(() => agents && new Map(agents.map((agent) => [agent.id, agent.name])), [agents]);
  const tabIds = useOpenTabs();
  const tabs = useOpenChats(tabIds);
  const remove = useRemoveChat();
  const hasRoom = useMedia('(min-width: 64rem)');
  const [isListOpen, setIsListOpen] = useState(false);
  const [isContextOpen, setIsContextOpen] = useState(false);
  const [renaming, setRenaming] = useState<Pick<Chat, 'id' | 'title'> | null>(null);
  const box = useRef<HTMLTextAreaElement>(null);

  const { with: newChatAgent, run, ...filters } = search;
  const go = (chat: string | undefined, next: ChatSearch = filters, replace = false) =>
    void (chat === undefined
      ? navigate({ to: '/chat', search: next, replace, resetScroll: false })
      : navigate({ to: '/chat/$id', params: { id: chat }, search: next, replace, resetScroll: false }));
  const filter = (change: Partial<Record<keyof ChatSearch, string | undefined>>) => {
    const next = { ...search, ...change };
    go(id, Object.fromEntries(Object.entries(next).filter(([, value]) => value)) as ChatSearch, true);
  };
  const closeTab = (chatId: string) => {
    const next = neighborOf(openTabs(), chatId);
    removeTab(chatId);
    if (chatId === id) go(next);
  };
  const removeChat = (chat: Pick<Chat, 'id' | 'title'>) => {
    closeTab(chat.id);
    deleteLater({
      keys: [`chat/${chat.id}`],
      message: `Deleted “${chat.title}”`,
      carryOut: async () => {
        await remove.mutateAsync(chat.id);
        forgetChatStream(chat.id);
        for (const part of ['', '/title', '/arguments']) removeDraft(`chat/${chat.id}${part}`);
        forgetFiles(chat.id);
        forgetComparisons(chat.id);
      },
      failure: `“${chat.title}” could not be deleted`,
      onUndo: () => addTab(chat.id),
    });
  };

  useChatKeys({
    newChat: () => go(undefined),
    write: () => box.current?.focus(),
    moveTab: (step) => {
      const ids = openTabs();
      const index = id === undefined ? (step === 1 ? -1 : ids.length) : ids.indexOf(id);
      const next = ids[(index + step + ids.length) % Math.max(ids.length, 1)];
      if (next !== undefined) go(next);
    },
    closeTab: () => id !== undefined && closeTab(id),
  });

  const past = (
    <PastChats
      openId={id}
      names={names ?? noNames}
      text={search.q ?? ''}
      agentId={search.agent}
      kind={search.kind}
      onText={(q) => filter({ q })}
      onAgent={(agent) => filter({ agent })}
      onKind={(kind) => filter({ kind })}
      onOpen={() => setIsListOpen(false)}
      onRename={setRenaming}
      onDelete={removeChat}
    />
  );
  return (
    <div className="flex h-[calc(100dvh-var(--notices,0px))] min-h-96 max-md:h-[calc(100dvh-4rem-var(--notices,0px))]">
      {hasRoom && (
        <aside aria-label="Chats" className="flex w-72 shrink-0 flex-col border-line border-r">
          {past}
        </aside>
      )}
      <section aria-label="Chat" className="flex min-w-0 flex-1 flex-col">
        <div className="flex min-h-11 items-center gap-1 border-line border-b bg-sidebar px-2">
          {!hasRoom && (
            <IconButton label="Past chats" icon={<History aria-hidden />} onClick={() => setIsListOpen(true)} />
          )}
          <ChatTabs tabs={tabs} openId={id} onClose={closeTab} />
        </div>
        {id === undefined ? (
          <NewChat
            agentId={newChatAgent}
            onAgent={(agentId) => go(undefined, { ...filters, ...(agentId && { with: agentId }) }, true)}
            onCreated={(chatId) => {
              addTab(chatId);
              go(chatId);
            }}
          />
        ) : (
          <div className="flex min-h-0 min-w-0 flex-1">
            <div className="flex min-w-0 flex-1 flex-col">
              <ChatPane
                key={id}
                id={id}
                run={run}
                names={names}
                box={box}
                isContextOpen={isContextOpen}
                onContext={() => setIsContextOpen(!isContextOpen)}
                menu={(chat) => (
                  <ChatMenu chat={chat} onRename={() => setRenaming(chat)} onDelete={() => removeChat(chat)} />
                )}
              />
            </div>
            {isContextOpen && <ContextPanel chatId={id} onClose={() => setIsContextOpen(false)} />}
          </div>
        )}
      </section>
      {!hasRoom && isListOpen && (
        <Sheet title="Past chats" onClose={() => setIsListOpen(false)}>
          <div className="-mx-3 -mt-3">{past}</div>
        </Sheet>
      )}
      {renaming && <RenameDialog chat={renaming} onClose={() => setRenaming(null)} />}
    </div>
  );
}

const noNames: ReadonlyMap<string, string> = new Map();

const maxTitleLength = 200;

function RenameDialog({ chat, onClose }: { chat: Pick<Chat, 'id' | 'title'>; onClose: () => void }) {
  const id = useId();
  const update = useUpdateChat(chat.id);
  const draft = useFormDraft(`chat/${chat.id}/title`, chat.title);
  const title = draft.value;
  const words = title.trim();
  return (
    <Dialog
      open
      size="sm"
      title="Rename chat"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={id} variant="primary" busy={update.isPending} disabled={words === ''}>
            Rename
          </Button>
        </>
      }
    >
      <form
        id={id}
        onSubmit={(event) => {
          event.preventDefault();
          if (words === '') return;
          draft.save(update.mutateAsync({ title: words }), { whileOpen: onClose });
        }}
      >
        <TextField
          label="Title"
          value={title}
          maxLength={maxTitleLength}
          error={update.error ? errorText(update.error) : null}
          onFocus={(event) => event.currentTarget.select()}
          onChange={(event) => draft.set(event.target.value)}
        />
      </form>
    </Dialog>
  );
}
