import { Link, useNavigate } from '@tanstack/react-router';
import { Ellipsis, LogIn, LogOut, Pencil, PlugZap, RefreshCw, ScrollText, Trash2, Unplug } from 'lucide-react';
import type { ServerSummary } from '../../../src/servers/servers.contract.ts';
import { type ServerAction, useRemoveServer, useServerAction, useSignIn } from '../../api/server-queries.ts';
import { Button } from '../../ui/button.tsx';
import { confirm } from '../../ui/confirm.tsx';
import { formatCount } from '../../ui/format-count.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../ui/menu.tsx';
import { showError, showToast } from '../../ui/toast.tsx';
import { actionsOfServer } from './describe-server.ts';

export interface ServerActionsProps {
  server: ServerSummary;
  /** On the server's own screen there is nothing to open, and after a removal nothing to look at. */
  isOnItsScreen?: boolean;
}

const failures: Record<ServerAction, string> = {
  connect: 'Not connected',
  reconnect: 'Not connected',
  disconnect: 'Not disconnected',
  'sign-out': 'Not signed out',
};

/** What comes next as a button; the rest in a menu. */
export function ServerActions({ server, isOnItsScreen = false }: ServerActionsProps) {
  const { name } = server;
  const act = useServerAction(name);
  const signIn = useStartSignIn(name);
  const removal = useRemoval(server, isOnItsScreen);
  const can = actionsOfServer(server);
  const run = (action: ServerAction) =>
    act.mutate(action, { onError: (error) => showError(`${failures[action]}: ${name}`, error) });
  const params = { name };
  return (
    <div className="flex shrink-0 items-center gap-1">
      {can.canSignIn && !can.canReconnect && (
        <Button
          size="sm"
          variant="primary"
          icon={<LogIn aria-hidden />}
          busy={signIn.isPending}
          aria-label={`Sign in to ${name}`}
          onClick={signIn.start}
        >
          Sign in
        </Button>
      )}
      {can.canConnect && (
        <Button
          size="sm"
          icon={<PlugZap aria-hidden />}
          busy={act.isPending}
          aria-label={`Connect ${name}`}
          onClick={() => run('connect')}
        >
          {server.state.kind === 'failed' ? 'Try now' : 'Connect'}
        </Button>
      )}
      {can.canReconnect && (
        <Button
          size="sm"
          icon={<RefreshCw aria-hidden />}
          busy={act.isPending}
          aria-label={`Reconnect ${name}`}
          onClick={() => run('reconnect')}
        >
          Reconnect
        </Button>
      )}
      <Menu trigger={<IconButton size="sm" label={`Actions for ${name}`} icon={<Ellipsis aria-hidden />} />}>
        <MenuItem icon={<Unplug aria-hidden />} disabled={!can.canDisconnect} onClick={() => run('disconnect')}>
          Disconnect
        </MenuItem>
        {can.canSignIn && can.canReconnect && (
          <MenuItem icon={<LogIn aria-hidden />} disabled={signIn.isPending} onClick={signIn.start}>
            Sign in again
          </MenuItem>
        )}
        {can.canSignOut && (
          <MenuItem icon={<LogOut aria-hidden />} onClick={() => run('sign-out')}>
            Sign out
          </MenuItem>
        )}
        {!isOnItsScreen && (
          <>
            <MenuItem
              icon={<ScrollText aria-hidden />}
              render={<Link to="/servers/$name" params={params} search={{ tab: 'log' }} />}
            >
              Log
            </MenuItem>
            <MenuItem
              icon={<Pencil aria-hidden />}
              render={<Link to="/servers/$name" params={params} search={{ tab: 'settings' }} />}
            >
              {can.canEdit ? 'Edit' : 'Settings'}
            </MenuItem>
          </>
        )}
        {can.canEdit && (
          <>
            <MenuSeparator />
            <MenuItem danger icon={<Trash2 aria-hidden />} disabled={removal.isPending} onClick={removal.ask}>
              Remove…
            </MenuItem>
          </>
        )}
      </Menu>
    </div>
  );
}

function useRemoval({ name, tools }: ServerSummary, isOnItsScreen: boolean): { ask: () => void; isPending: boolean } {
  const remove = useRemoveServer();
  const navigate = useNavigate();
  const ask = async () => {
    const sure = await confirm({
      title: `Remove “${name}”?`,
      message: `Its processes end, and ${formatCount(tools.length, 'tool')} with what you accepted, renamed and turned off ${tools.length === 1 ? 'goes' : 'go'} with it.`,
      confirmLabel: 'Remove',
      danger: true,
    });
    if (!sure) return;
    try {
      // Not with callbacks: the page may hear of the removal before the answer comes, and they would go with what it showed.
      await remove.mutateAsync(name);
    } catch (error) {
      showError('Not removed', error);
      return;
    }
    showToast(`Removed “${name}”`);
    if (isOnItsScreen) void navigate({ to: '/servers', replace: true, ignoreBlocker: true });
  };
  return { ask: () => void ask(), isPending: remove.isPending };
}

/** Opens the server's own page in a new tab; the state here changes by itself when the person is done there. */
function useStartSignIn(name: string): { start: () => void; isPending: boolean } {
  const signIn = useSignIn(name);
  const start = () => {
    // Opened while the click counts as one: a tab that opens after an answer came is taken for an advertisement.
    const tab = window.open('', '_blank');
    signIn.mutate(undefined, {
      onSuccess: ({ url }) => {
        if (url === null) {
          tab?.close();
          showToast(`“${name}” needs no sign-in now`);
        } else if (!isWebAddress(url)) {
          // It comes from a foreign server, and some addresses are programs.
          tab?.close();
          showError('Not opened', new Error('The server named a sign-in page that is not http or https.'));
        } else if (tab) {
          tab.opener = null;
          tab.location.href = url;
        } else {
          showToast('The browser kept the sign-in page from opening', {
            action: { label: 'Open it', onClick: () => void window.open(url, '_blank', 'noopener') },
          });
        }
      },
      onError: (error) => {
        tab?.close();
        showError('The sign-in could not begin', error);
      },
    });
  };
  return { start, isPending: signIn.isPending };
}

function isWebAddress(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}
