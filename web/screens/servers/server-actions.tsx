import { Link, useNavigate } from '@tanstack/react-router';
import { Ellipsis, LogIn, LogOut, Pencil, PlugZap, RefreshCw, ScrollText, Trash2, Unplug } from 'lucide-react';
import type { ServerSummary } from '../../../src/servers/servers.contract.ts';
import { type ServerAction, useRemoveServer, useServerAction } from '../../api/server-queries.ts';
import { useStartSignIn } from '../../parts/servers/use-start-sign-in.ts';
import { Button } from '../../ui/button.tsx';
import { confirm } from '../../ui/confirm.tsx';
import { formatCount } from '../../ui/format-count.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../ui/menu.tsx';
import { showError, showToast } from '../../ui/toast.tsx';
import { actionsOfServer } from './describe-server.ts';

export interface ServerActionsProps {
  server: ServerSummary;
  /** Hides links to the server's screen, and leaves that screen after a removal. */
  isOnItsScreen?: boolean;
}

const failures: Record<ServerAction, string> = {
  connect: 'Could not connect',
  reconnect: 'Could not connect',
  disconnect: 'Could not disconnect',
  'sign-out': 'Could not sign out',
};

/** The likely next action as a button and the others in a menu. */
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
          aria-label={server.state.kind === 'failed' ? `Retry now: connect ${name}` : `Connect ${name}`}
          onClick={() => run('connect')}
        >
          {server.state.kind === 'failed' ? 'Retry now' : 'Connect'}
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
      message: `This stops its processes and removes ${formatCount(tools.length, 'tool')} with all your approvals, names, settings and secrets. You cannot undo this.`,
      confirmLabel: 'Remove',
      danger: true,
    });
    if (!sure) return;
    try {
      // Awaits instead of using callbacks, which are lost when the live update unmounts this component first.
      await remove.mutateAsync(name);
    } catch (error) {
      showError('The server could not be removed', error);
      return;
    }
    showToast(`Removed “${name}”`);
    if (isOnItsScreen) void navigate({ to: '/servers', replace: true, ignoreBlocker: true });
  };
  return { ask: () => void ask(), isPending: remove.isPending };
}
