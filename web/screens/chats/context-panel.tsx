import { Link } from '@tanstack/react-router';
import { Check, FileText, Hand, X } from 'lucide-react';
import { type ReactNode, useRef } from 'react';
import type { ChatContext } from '../../../src/chats/chats.ts';
import { useChatApprovals, useChatContext, useRevokeApproval } from '../../api/chat-queries.ts';
import { SourceName } from '../../parts/knowledge/source-look.tsx';
import { ApprovalList } from '../../parts/tools/approval-list.tsx';
import { Badge } from '../../ui/badge.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { Folding } from '../../ui/folding.tsx';
import { formatCount } from '../../ui/format-count.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { LongList } from '../../ui/long-list.tsx';
import { Scroller } from '../../ui/scroller.ts';
import { Sheet } from '../../ui/sheet.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { useMedia } from '../../ui/use-media.ts';

/** Shows everything the model gets besides the messages: in a column on wide screens, else in a sheet. */
export function ContextPanel({ chatId, onClose }: { chatId: string; onClose: () => void }) {
  const hasRoom = useMedia('(min-width: 80rem)');
  const column = useRef<HTMLDivElement>(null);
  if (!hasRoom)
    return (
      <Sheet title="Context" onClose={onClose}>
        <ContextBody chatId={chatId} />
      </Sheet>
    );
  return (
    <aside aria-label="Context" className="flex w-88 shrink-0 flex-col border-line border-l bg-surface">
      <header className="flex items-center gap-2 border-line border-b py-1.5 pr-2 pl-4">
        <h2 className="flex-1 font-semibold text-sm">Context</h2>
        <IconButton label="Hide context" icon={<X aria-hidden />} onClick={onClose} />
      </header>
      <div ref={column} className="min-h-0 flex-1 overflow-y-auto p-4">
        <Scroller value={column}>
          <ContextBody chatId={chatId} />
        </Scroller>
      </div>
    </aside>
  );
}

function ContextBody({ chatId }: { chatId: string }) {
  const { data, error, refetch } = useChatContext(chatId);
  if (!data)
    return error ? (
      <ErrorState title="The context could not be loaded" error={error} onRetry={() => void refetch()} />
    ) : (
      <div role="status" aria-busy="true" aria-label="Loading context" className="flex flex-col gap-3">
        <Skeleton className="h-4 w-1/2" />
        <Skeleton className="h-28 w-full" />
        <Skeleton className="h-4 w-1/3" />
        <Skeleton className="h-16 w-full" />
      </div>
    );
  const { system, skills, tools, passages } = data;
  return (
    <div className="flex flex-col gap-5">
      <Approvals chatId={chatId} />
      <Section title="System prompt" note={formatCount(system.length, 'character')}>
        {system.trim() === '' ? (
          <Nothing>No system prompt.</Nothing>
        ) : (
          <div className="relative">
            <pre
              // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
              tabIndex={0}
              className="max-h-72 overflow-auto whitespace-pre-wrap rounded-lg border border-line bg-sunken/50 p-2.5 pr-9 font-mono text-xs leading-5 [overflow-wrap:anywhere]"
            >
              {system}
            </pre>
            <span className="absolute top-1 right-1.5">
              <CopyButton iconOnly label="Copy system prompt" text={system} />
            </span>
          </div>
        )}
      </Section>
      <Section title="Skills" count={skills.length}>
        {skills.length === 0 ? (
          <Nothing>No skills enabled.</Nothing>
        ) : (
          <ul className="flex flex-wrap gap-1.5">
            {skills.map((skill) => (
              <li key={skill.id}>
                <Badge>{skill.name}</Badge>
              </li>
            ))}
          </ul>
        )}
      </Section>
      <Section title="Passages" count={passages.length}>
        {passages.length === 0 ? (
          <Nothing>No passages from the knowledge base.</Nothing>
        ) : (
          <ul className="flex flex-col gap-2">
            {passages.map((passage, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two passages may come from one document, and the list is always replaced as a whole.
              <li key={index}>
                <Passage passage={passage} />
              </li>
            ))}
          </ul>
        )}
      </Section>
      <Section title="Tools" count={tools.length}>
        {tools.length === 0 ? <Nothing>No tools. This agent can only chat.</Nothing> : <ToolList tools={tools} />}
      </Section>
    </div>
  );
}

/** The tools that the user approved for this chat. Shows nothing if there are none. */
function Approvals({ chatId }: { chatId: string }) {
  const { data, error, refetch } = useChatApprovals(chatId);
  const revoke = useRevokeApproval(chatId);
  if (error && !data)
    return <ErrorState title="The approvals could not be loaded" error={error} onRetry={() => void refetch()} />;
  if (!data || data.length === 0) return null;
  return (
    <Section title="Approved in this chat" count={data.length}>
      <div className="flex flex-col gap-2">
        <p className="text-pretty text-muted text-xs">
          The agent may call these tools without asking until their definitions change. Approvals that you gave before
          the agent read text from outside no longer count.
        </p>
        <ApprovalList
          icon={<Check aria-hidden className="size-4 shrink-0 text-violet" />}
          approvals={data}
          onRemove={revoke.mutate}
          isRemoving={revoke.isPending}
          error={revoke.error}
        />
      </div>
    </Section>
  );
}

function ToolList({ tools }: Pick<ChatContext, 'tools'>) {
  return (
    <LongList label="Tools" items={tools} keyOf={({ name }) => name} estimateSize={28} className="-mx-1.5">
      {(tool) => (
        <div className="flex min-w-0 items-center gap-2 rounded-md px-1.5 py-1 hover:bg-hover">
          <Link
            to="/tools/$name"
            params={{ name: tool.name }}
            preload={false}
            title={tool.description}
            className="min-w-0 flex-1 truncate font-mono text-xs hover:underline"
          >
            {tool.name}
          </Link>
          {tool.needsApproval && (
            <Badge tone="violet" icon={<Hand aria-hidden />} title="Asks for your approval before each call">
              Needs approval
            </Badge>
          )}
        </div>
      )}
    </LongList>
  );
}

const headings = /^#+ +(.+)$/gm;

function Passage({ passage }: { passage: ChatContext['passages'][number] }) {
  const { documentId, title, source, path, text, score } = passage;
  return (
    <article aria-label={title || path} className="rounded-lg border border-line bg-raised p-2">
      <p className="flex min-w-0 items-center gap-1.5 text-xs">
        <FileText aria-hidden className="size-3.5 shrink-0 text-faint" />
        <span className="min-w-0 flex-1 truncate font-medium">{title || path}</span>
        <span className="shrink-0 text-faint tabular-nums" title="Relevance">
          {score.toFixed(2)}
        </span>
      </p>
      <p className="mt-0.5 flex min-w-0 gap-2 pl-5 text-faint text-xs">
        <SourceName source={source} />
        <Link
          to="/knowledge/documents/$id"
          params={{ id: documentId }}
          className="min-w-0 truncate text-accent-text hover:underline"
        >
          {path}
        </Link>
      </p>
      <Folding
        summary={
          <span className="min-w-0 truncate text-muted text-xs">
            {text.trim().replaceAll(headings, '$1 ·').slice(0, 200)}
          </span>
        }
      >
        <p className="whitespace-pre-wrap text-xs leading-5 [overflow-wrap:anywhere]">{text}</p>
      </Folding>
    </article>
  );
}

interface SectionProps {
  title: string;
  count?: number;
  note?: string;
  children: ReactNode;
}

function Section({ title, count, note, children }: SectionProps) {
  return (
    <section aria-label={title}>
      <h3 className="mb-1.5 flex items-baseline gap-1.5 font-medium text-xs">
        {title}
        {count !== undefined && count > 0 && <span className="text-faint tabular-nums">{count}</span>}
        {note && <span className="ml-auto font-normal text-faint">{note}</span>}
      </h3>
      {children}
    </section>
  );
}

function Nothing({ children }: { children: string }) {
  return <p className="text-muted text-xs">{children}</p>;
}
