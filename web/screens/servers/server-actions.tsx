import { Link, useNavigate } from '@tanstack/react-router';
import { Ellipsis, LogIn, LogOut, Pencil, PlugZap, RefreshCw, ScrollText, Trash2, Unplug } from 'lucide-react';
import type { ServerSummary } from '../../../src/servers/servers.contract.ts';
import { type ServerAction, useRemoveServer, useServerAction } from '../../api/server-queries.ts';
import { useStartSignIn } from '../../parts/servers/use-start-sign-in.ts';
import { deleteLater } from '../../parts/undo/delete-later.ts';
import { Button } from '../../ui/button.tsx';
import { formatCount } from '../../ui/format-count.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../ui/menu.tsx';
import { showError } from '../../ui/toast.tsx';
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
  const remove = useRemoval(server, isOnItsScreen);
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
            <MenuItem danger icon={<Trash2 aria-hidden />} onClick={remove}>
              Remove
            </MenuItem>
          </>
        )}
      </Menu>
    </div>
  );
}

function useRemoval({ name, tools }: ServerSummary, isOnItsScreen: boolean): () => void {
  const remove = useRemoveServer();
  const navigate = useNavigate();
  return () => {
    if (isOnItsScreen) void navigate({ to: '/servers', replace: true, ignoreBlocker: true });
    deleteLater({
      keys: [`server/${name}`],
      message: `Removed “${name}”`,
      description: `It stops when this notice closes. ${formatCount(tools.length, 'tool')}, your approvals, settings and secrets are then deleted.`,
      isUrgent: true,
      carryOut: () => remove.mutateAsync(name),
      failure: `“${name}” could not be removed`,
    });
  };
}
