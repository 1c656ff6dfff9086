import { Link } from '@tanstack/react-router';
import { PlugZap, SearchX, Wrench } from 'lucide-react';
import { useDeferredValue, useMemo, useState } from 'react';
import { hintsOf } from '../../../src/servers/remote-tool.ts';
import type { ServerInfo } from '../../../src/servers/servers.ts';
import { type ToolChange, useAcceptTools, useServerAction, useSetServerTool } from '../../api/server-queries.ts';
import { isWaiting, type ToolStatus, toolStatuses, toolStatusNames } from '../../parts/servers/tool-status.ts';
import { WaitingTools } from '../../parts/servers/waiting-tools.tsx';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Select } from '../../ui/select.tsx';
import { showError, showToast } from '../../ui/toast.tsx';
import { PageVirtualList } from '../../ui/virtual-list.tsx';
import { definitionOf, filterTools } from './filter-tools.ts';
import { ToolRow } from './tool-row.tsx';

export function ToolsTab({ server }: { server: ServerInfo }) {
  const waiting = useMemo(
    () => [...server.tools, ...server.elsewhere].filter(isWaiting),
    [server.tools, server.elsewhere],
  );
  const others = useMemo(() => server.tools.filter((tool) => !isWaiting(tool)), [server.tools]);
  if (server.tools.length + waiting.length === 0) return <NoTools server={server} />;
  return (
    <div className="flex flex-col gap-6">
      {waiting.length > 0 && <WaitingTools name={server.name} tools={waiting} versions={versionNames(server)} />}
      {others.length > 0 && <ToolList server={server} tools={others} />}
    </div>
  );
}

/** Returns the versions that processes see, if there is more than one. */
function versionNames({ versions }: ServerInfo): readonly string[] {
  return versions.length > 1 ? versions.map(({ version }) => version) : [];
}

function ToolList({ server, tools }: { server: ServerInfo; tools: ServerInfo['tools'] }) {
  const { name } = server;
  const [query, setQuery] = useState('');
  const [status, setStatus] = useState<ToolStatus | ''>('');
  const [open, setOpen] = useState<string | null>(null);
  const settled = useDeferredValue(query);
  const setTool = useSetServerTool(name);
  const accept = useAcceptTools(name);
  const matches = useMemo(() => filterTools(tools, settled, status), [tools, settled, status]);
  const counts = new Map(toolStatuses.map((each) => [each, tools.filter((tool) => tool.status === each).length]));
  const change = async (tool: string, settings: ToolChange) => {
    try {
      await setTool.mutateAsync({ tool, change: settings });
    } catch (error) {
      // The field shows the error of a name or description.
      if (settings.alias !== undefined || settings.description !== undefined) throw error;
      showError('The tool could not be changed', error);
    }
  };
  return (
    <section aria-label="Tools" className="flex flex-col gap-3">
      <h2 className="sr-only">Tools</h2>
      <p className="text-muted text-sm">
        Clients with a key can call the tools that are on. Agents can call them once you add them to the agent's scope,
        on its Tools tab.
      </p>
      {wouldSkipApproval(server, tools) && (
        <p className="text-muted text-sm">
          Tools that say they are read-only need approval too, because the hub does not trust what this server says
          about them. To let them skip it, turn on{' '}
          <Link
            to="/servers/$name"
            params={{ name }}
            search={{ tab: 'settings' }}
            className="font-medium text-accent-text underline underline-offset-2"
          >
            Trust this server's hints
          </Link>
          .
        </p>
      )}
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
      {matches.length === 0 ? (
        <EmptyState
          art={<SearchX className="size-10" strokeWidth={1.5} />}
          title="No tools found"
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
          No tools match the search and status.
        </EmptyState>
      ) : (
        <PageVirtualList
          label="Tools"
          items={matches}
          keyOf={(tool) => tool.remoteName}
          estimateSize={76}
          className="divide-y divide-line rounded-card border border-line bg-surface shadow-card"
        >
          {(tool, index) => (
            <ToolRow
              row={index}
              tool={tool}
              isOpen={open === tool.remoteName}
              onToggle={() => setOpen(open === tool.remoteName ? null : tool.remoteName)}
              onChange={(settings) => change(tool.remoteName, settings)}
              isPending={accept.isPending}
              onForget={() =>
                accept.mutate([{ tool: tool.remoteName }], {
                  onSuccess: () => showToast(`Removed “${tool.remoteName}”`),
                  onError: (error) => showError('The tool could not be removed', error),
                })
              }
            />
          )}
        </PageVirtualList>
      )}
    </section>
  );
}

/** Returns whether a tool needs approval only because the hints of its server do not count. */
function wouldSkipApproval({ definition: { approve, trustHints } }: ServerInfo, tools: ServerInfo['tools']): boolean {
  if (approve !== null || trustHints) return false;
  return tools.some((tool) => {
    const { readOnlyHint, openWorldHint } = hintsOf(definitionOf(tool));
    return tool.status === 'active' && tool.setting.requiresApproval === null && readOnlyHint && openWorldHint !== true;
  });
}

function NoTools({ server }: { server: ServerInfo }) {
  const act = useServerAction(server.name);
  if (server.state.kind === 'connecting') {
    return (
      <EmptyState art={<Wrench className="size-10" strokeWidth={1.5} />} title="Connecting…">
        Tools appear here when the server lists them.
      </EmptyState>
    );
  }
  const wasListed = server.listedAt !== null;
  return (
    <EmptyState
      art={<Wrench className="size-10" strokeWidth={1.5} />}
      title={wasListed ? 'No tools' : 'Tools not listed yet'}
      actions={
        (server.state.kind === 'idle' || server.state.kind === 'failed') && (
          <Button
            icon={<PlugZap aria-hidden />}
            busy={act.isPending}
            onClick={() =>
              act.mutate('connect', { onError: (error) => showError(`Could not connect: ${server.name}`, error) })
            }
          >
            Connect
          </Button>
        )
      }
    >
      {wasListed ? 'The server listed no tools.' : 'Connect the server to list its tools.'}
    </EmptyState>
  );
}
