import '../../api/zod-without-eval.ts';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { ArrowLeft, ScrollText, ServerOff, SlidersHorizontal, Wrench } from 'lucide-react';
import type { ServerInfo } from '../../../src/servers/servers.ts';
import { ApiError } from '../../api/client.ts';
import { useServer } from '../../api/server-queries.ts';
import { Badge } from '../../ui/badge.tsx';
import { buttonClass } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { Page } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { TabPanel, Tabs } from '../../ui/tabs.tsx';
import { useLeaveGuard } from '../../ui/use-leave-guard.ts';
import { useTitle } from '../../ui/use-title.ts';
import { LogTab } from './log-tab.tsx';
import { ServerHeader } from './server-header.tsx';
import { SettingsTab } from './settings-tab.tsx';
import { ToolsTab } from './tools-tab.tsx';
import { useServerKeys } from './use-server-keys.ts';
import { useServerSettings } from './use-server-settings.ts';

/** One server: its state, its tools, what it writes, how it is set up. */
export function ServerScreen() {
  const { name } = useParams({ from: '/servers/$name' });
  const { data, error, refetch } = useServer(name);
  const navigate = useNavigate();
  useTitle(name);
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
        <NoSuchServer name={name} />
      ) : data ? (
        <LoadedServer key={name} server={data} />
      ) : error ? (
        <ErrorState title="The server could not be read" error={error} onRetry={() => void refetch()} />
      ) : (
        <LoadingServer />
      )}
    </Page>
  );
}

function LoadedServer({ server }: { server: ServerInfo }) {
  const { tab = 'tools' } = useSearch({ from: '/servers/$name' });
  const navigate = useNavigate({ from: '/servers/$name' });
  // Held above the tabs: what is typed stays while another one is looked at.
  const settings = useServerSettings(server);
  useLeaveGuard(settings.isDirty, `the settings of “${server.name}”`);
  return (
    <>
      <ServerHeader server={server} />
      <Tabs
        label="About the server"
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
          <LogTab name={server.name} />
        </TabPanel>
        <TabPanel value="settings" className="pt-4 outline-offset-4">
          <SettingsTab server={server} settings={settings} />
        </TabPanel>
      </Tabs>
    </>
  );
}

function NoSuchServer({ name }: { name: string }) {
  return (
    <EmptyState
      art={<ServerOff className="size-10" strokeWidth={1.5} />}
      title="No such server"
      level={1}
      actions={
        <Link to="/servers" className={buttonClass()}>
          All servers
        </Link>
      }
    >
      There is no server “{name}”. It may have been removed, or its name changed in zoo.toml.
    </EmptyState>
  );
}

function LoadingServer() {
  return (
    <div role="status" aria-busy="true" aria-label="Loading the server" className="flex flex-col gap-4">
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
