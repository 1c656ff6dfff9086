import '../../api/zod-without-eval.ts';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { ArrowLeft, Info, ScrollText, ServerOff, SlidersHorizontal, Wrench } from 'lucide-react';
import type { ServerInfo } from '../../../src/servers/servers.ts';
import { ApiError } from '../../api/client.ts';
import { useServer } from '../../api/server-queries.ts';
import { useNoteOpened } from '../../parts/recent/opened.ts';
import { Badge } from '../../ui/badge.tsx';
import { buttonClass } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { formatCount } from '../../ui/format-count.ts';
import { Page } from '../../ui/page.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { TabPanel, Tabs } from '../../ui/tabs.tsx';
import { useLeaveGuard } from '../../ui/use-leave-guard.ts';
import { useTitle } from '../../ui/use-title.ts';
import { hasReplicas } from './describe-server.ts';
import { LogTab } from './log-tab.tsx';
import { ServerHead } from './server-row.tsx';
import { ServerStateMark, ServerTrouble } from './server-state.tsx';
import { VersionsNote } from './server-versions.tsx';
import { SettingsTab } from './settings-tab.tsx';
import { ToolsTab } from './tools-tab.tsx';
import { useServerKeys } from './use-server-keys.ts';
import { useServerSettings } from './use-server-settings.ts';

/** One server: its state, tools, log and settings. */
export function ServerScreen() {
  const { name } = useParams({ from: '/servers/$name' });
  const { data, error, refetch } = useServer(name);
  const navigate = useNavigate();
  useTitle(name);
  useNoteOpened('server', name, error instanceof ApiError && error.isNotFound ? null : data?.name);
  useServerKeys({ onLeave: () => void navigate({ to: '/servers' }) });
  return (
    <Page>
      <Link
        to="/servers"
        className="mb-1 inline-flex items-center gap-1.5 rounded-md text-muted text-sm hover:text-text max-md:py-2"
      >
        <ArrowLeft aria-hidden className="size-3.5" />
        Servers
      </Link>
      {error instanceof ApiError && error.isNotFound ? (
        <ServerNotFound name={name} />
      ) : data ? (
        <LoadedServer key={name} server={data} />
      ) : error ? (
        <ErrorState level={1} title="The server could not be loaded" error={error} onRetry={() => void refetch()} />
      ) : (
        <LoadingServer />
      )}
    </Page>
  );
}

function LoadedServer({ server }: { server: ServerInfo }) {
  const { tab = 'tools' } = useSearch({ from: '/servers/$name' });
  const navigate = useNavigate({ from: '/servers/$name' });
  // Lives above the tabs, so that edits survive switching tabs.
  const settings = useServerSettings(server);
  useLeaveGuard({
    dirty: settings.isDirty,
    what: `the settings of “${server.name}”`,
    save: settings.save,
    discard: settings.undo,
    isHeld: settings.isHeld,
  });
  return (
    <>
      <ServerHeader server={server} />
      <Tabs
        label="Server"
        value={tab}
        onChange={(next) =>
          void navigate({
            search: next === 'log' || next === 'settings' ? { tab: next } : {},
            replace: true,
            resetScroll: false,
          })
        }
        tabs={[
          { value: 'tools', label: 'Tools', icon: <Wrench aria-hidden />, count: server.tools.length },
          { value: 'log', label: 'Log', icon: <ScrollText aria-hidden /> },
          { value: 'settings', label: 'Settings', icon: <SlidersHorizontal aria-hidden /> },
        ]}
        end={settings.isDirty && tab !== 'settings' && <Badge tone="warn">Unsaved changes</Badge>}
      >
        <TabPanel value="tools" className="pt-4 outline-offset-4">
          <ToolsTab server={server} />
        </TabPanel>
        <TabPanel value="log" className="pt-4 outline-offset-4">
          <LogTab name={server.name} hasReplicas={hasReplicas(server)} />
        </TabPanel>
        <TabPanel value="settings" className="pt-4 outline-offset-4">
          <SettingsTab server={server} settings={settings} />
        </TabPanel>
      </Tabs>
    </>
  );
}

function ServerNotFound({ name }: { name: string }) {
  return (
    <EmptyState
      art={<ServerOff className="size-10" strokeWidth={1.5} />}
      title="Server not found"
      level={1}
      actions={
        <Link to="/servers" className={buttonClass()}>
          All servers
        </Link>
      }
    >
      “{name}” may have been removed, or renamed in zoo.toml.
    </EmptyState>
  );
}

function LoadingServer() {
  return (
    <div role="status" aria-busy="true" aria-label="Loading server" className="flex flex-col gap-4">
      <h1 className="sr-only">Loading server</h1>
      <div className="flex gap-3">
        <Skeleton className="size-10 rounded-xl" />
        <div className="flex flex-1 flex-col gap-2 pt-1">
          <Skeleton className="h-5 w-48" />
          <Skeleton className="h-3 w-2/3" />
        </div>
      </div>
      {['a', 'b', 'c', 'd'].map((key) => (
        <Skeleton key={key} className="h-16 w-full rounded-card" />
      ))}
    </div>
  );
}

/** Name, state and actions, above the tabs. */
function ServerHeader({ server }: { server: ServerInfo }) {
  return (
    <header data-server={server.name} data-state={server.state.kind} className="mb-4 flex flex-col gap-2.5">
      <ServerHead server={server} isOnItsScreen>
        <h1 className="min-w-0 break-all font-semibold text-2xl leading-8">{server.name}</h1>
      </ServerHead>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-muted text-xs tabular-nums sm:pl-13">
        <ServerStateMark state={server.state} />
        <Facts server={server} />
      </div>
      <ServerTrouble server={server} className="sm:ml-13" />
      <VersionsNote server={server} />
      {server.instructions && <Instructions text={server.instructions} />}
    </header>
  );
}

function Facts({ server: { state, stats, running, listedAt } }: { server: ServerInfo }) {
  return (
    <>
      {state.kind === 'connected' && (
        <span className="min-w-0 break-words">
          <ForeignText text={`${state.serverName} ${state.serverVersion}`} /> · protocol {state.protocolVersion}
        </span>
      )}
      {stats.calls > 0 && (
        <span>
          {formatCount(stats.calls, 'call')}
          {stats.errors > 0 && `, ${stats.errors.toLocaleString('en')} failed`}
        </span>
      )}
      {running > 0 && <span>{running.toLocaleString('en')} running</span>}
      {stats.reconnects > 0 && <span>reconnected {stats.reconnects === 1 ? 'once' : `${stats.reconnects} times`}</span>}
      {listedAt !== null && (
        <span>
          listed <RelativeTime at={new Date(listedAt).toISOString()} />
        </span>
      )}
    </>
  );
}

/** The server's instructions for models. */
function Instructions({ text }: { text: string }) {
  return (
    <details className="text-sm sm:ml-13">
      <summary className="w-fit rounded-md text-muted text-xs hover:text-text">
        <Info aria-hidden className="size-3.5 shrink-0" />
        Server instructions
      </summary>
      <p className="mt-1.5 max-h-60 overflow-y-auto whitespace-pre-wrap rounded-lg bg-sunken/60 px-3 py-2 text-muted text-xs [overflow-wrap:anywhere]">
        <ForeignText text={text} />
      </p>
    </details>
  );
}
