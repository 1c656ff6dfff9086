import { PlugZap, SearchX, Wrench } from 'lucide-react';
import { useDeferredValue, useMemo, useState } from 'react';
import type { ServerInfo } from '../../../src/servers/servers.ts';
import { ApiError } from '../../api/client.ts';
import type { ToolChange } from '../../api/server-queries.ts';
import { useAcceptTools, useServerAction, useSetServerTool } from '../../api/server-queries.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { formatCount } from '../../ui/format-count.ts';
import { SearchField } from '../../ui/search-field.tsx';
import { Select } from '../../ui/select.tsx';
import { showError, showToast } from '../../ui/toast.tsx';
import { type ToolStatus, toolStatuses, toolStatusNames } from './describe-server.ts';
import { filterTools, type HeldServerTool, isHeld } from './filter-tools.ts';
import { AcceptAll, HeldTool } from './held-tool.tsx';
import { ToolRow } from './tool-row.tsx';

/** A server may list thousands; more are drawn when they are asked for. */
const pageSize = 100;

export function ToolsTab({ server }: { server: ServerInfo }) {
  const held = useMemo(() => server.tools.filter(isHeld), [server.tools]);
  const others = useMemo(() => server.tools.filter((tool) => !isHeld(tool)), [server.tools]);
  if (server.tools.length === 0) return <NoTools server={server} />;
  return (
    <div className="flex flex-col gap-6">
      {held.length > 0 && <HeldTools name={server.name} tools={held} />}
      {others.length > 0 && <ToolList name={server.name} tools={others} />}
    </div>
  );
}

function HeldTools({ name, tools }: { name: string; tools: readonly HeldServerTool[] }) {
  const accept = useAcceptTools(name);
  const [shown, setShown] = useState(pageSize);
  const [isOutdated, setIsOutdated] = useState(false);
  const send = (chosen: readonly HeldServerTool[]) => {
    setIsOutdated(false);
    accept.mutate(
      chosen.map((tool) => ({
        tool: tool.remoteName,
        ...(tool.proposedHash !== null && { hash: tool.proposedHash }),
      })),
      {
        onSuccess: () =>
          showToast(chosen.length === 1 ? `Accepted “${chosen[0]?.remoteName}”` : `Accepted ${chosen.length} tools`),
        onError: (error) => {
          if (error instanceof ApiError && error.isConflict) setIsOutdated(true);
          else showError('Not accepted', error);
        },
      },
    );
  };
  const pending = accept.isPending ? (accept.variables ?? []).map(({ tool }) => tool) : [];
  return (
    <section aria-label="Waiting for you" className="flex flex-col gap-3">
      <AcceptAll tools={tools} isPending={accept.isPending} onAccept={() => send(tools)} />
      {isOutdated && (
        <Banner
          tone="warn"
          icon={<Wrench />}
          actions={
            <Button size="sm" onClick={() => setIsOutdated(false)}>
              All right
            </Button>
          }
        >
          The server proposes something else by now, so nothing was accepted. Below is what it proposes: look again.
        </Banner>
      )}
      <ul className="flex flex-col gap-3">
        {tools.slice(0, shown).map((tool) => (
          <HeldTool
            key={tool.remoteName}
            tool={tool}
            isPending={pending.includes(tool.remoteName)}
            onAccept={() => send([tool])}
          />
        ))}
      </ul>
      <ShowMore count={tools.length - shown} onMore={() => setShown(shown + pageSize)} />
    </section>
  );
}

function ToolList({ name, tools }: { name: string; tools: ServerInfo['tools'] }) {
  const [query, setQuery] = useState('');
  const [status, setStatus] = useState<ToolStatus | ''>('');
  const [open, setOpen] = useState<string | null>(null);
  const [shown, setShown] = useState(pageSize);
  const settled = useDeferredValue(query);
  const setTool = useSetServerTool(name);
  const accept = useAcceptTools(name);
  const found = useMemo(() => filterTools(tools, settled, status), [tools, settled, status]);
  const counts = new Map(toolStatuses.map((each) => [each, tools.filter((tool) => tool.status === each).length]));
  const change = async (tool: string, wanted: ToolChange) => {
    try {
      await setTool.mutateAsync({ tool, change: wanted });
    } catch (error) {
      // A name that is taken is told beside its field.
      if (wanted.alias !== undefined || wanted.description !== undefined) throw error;
      showError('Not changed', error);
    }
  };
  return (
    <section aria-label="Tools" className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <SearchField
          label="Search tools"
          placeholder="Search tools"
          value={query}
          onChange={setQuery}
          className="min-w-0 flex-1 basis-48"
        />
        <Select
          label="Status"
          value={status}
          options={[
            { value: '', label: `All ${tools.length}` },
            ...toolStatuses
              .filter((each) => each === status || (counts.get(each) ?? 0) > 0)
              .map((each) => ({ value: each, label: `${toolStatusNames[each]} ${counts.get(each) ?? 0}` })),
          ]}
          onChange={setStatus}
        />
      </div>
      {found.length === 0 ? (
        <EmptyState
          art={<SearchX className="size-10" strokeWidth={1.5} />}
          title="No such tool"
          actions={
            <Button
              onClick={() => {
                setQuery('');
                setStatus('');
              }}
            >
              Show all
            </Button>
          }
        >
          None of its tools fits the search and the status.
        </EmptyState>
      ) : (
        <ul className="divide-y divide-line rounded-card border border-line bg-surface shadow-card">
          {found.slice(0, shown).map((tool) => (
            <ToolRow
              key={tool.remoteName}
              tool={tool}
              isOpen={open === tool.remoteName}
              onToggle={() => setOpen(open === tool.remoteName ? null : tool.remoteName)}
              onChange={(wanted) => change(tool.remoteName, wanted)}
              isPending={accept.isPending}
              onForget={() =>
                accept.mutate([{ tool: tool.remoteName }], {
                  onSuccess: () => showToast(`Forgot “${tool.remoteName}”`),
                  onError: (error) => showError('Not forgotten', error),
                })
              }
            />
          ))}
        </ul>
      )}
      <ShowMore count={found.length - shown} onMore={() => setShown(shown + pageSize)} />
    </section>
  );
}

function ShowMore({ count, onMore }: { count: number; onMore: () => void }) {
  if (count <= 0) return null;
  return (
    <Button variant="ghost" className="self-center" onClick={onMore}>
      Show more of {formatCount(count, 'more tool')}
    </Button>
  );
}

function NoTools({ server }: { server: ServerInfo }) {
  const act = useServerAction(server.name);
  if (server.state.kind === 'connecting') {
    return (
      <EmptyState art={<Wrench className="size-10" strokeWidth={1.5} />} title="Connecting…">
        Its tools appear here as soon as it lists them.
      </EmptyState>
    );
  }
  const wasListed = server.listedAt !== null;
  return (
    <EmptyState
      art={<Wrench className="size-10" strokeWidth={1.5} />}
      title={wasListed ? 'The server has no tools' : 'Its tools are not known yet'}
      actions={
        (server.state.kind === 'idle' || server.state.kind === 'failed') && (
          <Button
            icon={<PlugZap aria-hidden />}
            busy={act.isPending}
            onClick={() =>
              act.mutate('connect', { onError: (error) => showError(`Not connected: ${server.name}`, error) })
            }
          >
            Connect
          </Button>
        )
      }
    >
      {wasListed ? 'When it was last asked, its list was empty.' : 'They are listed when it is first connected.'}
    </EmptyState>
  );
}
