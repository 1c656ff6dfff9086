import { Link } from '@tanstack/react-router';
import { CircleSlash, Globe, SquareTerminal, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import type { ServerSummary } from '../../../src/servers/servers.contract.ts';
import { Badge } from '../../ui/badge.tsx';
import { formatCount } from '../../ui/format-count.ts';
import type { Place } from '../../ui/virtual-list.tsx';
import { countTools, locationOfServer, transportNames } from './describe-server.ts';
import { ServerActions } from './server-actions.tsx';
import { ServerStateMark, ServerTrouble } from './server-state.tsx';
import { VersionsMark } from './server-versions.tsx';

/** One server: its location, state and waiting tools. */
export function ServerRow({ server, place }: { server: ServerSummary; place: Place }) {
  const { 'data-row': row, ...rest } = place;
  const counts = countTools(server);
  return (
    <li
      {...rest}
      aria-label={server.name}
      data-server={server.name}
      data-state={server.state.kind}
      className="relative flex flex-col gap-2.5 rounded-card border border-line bg-surface p-4 shadow-card transition-colors hover:border-line-strong"
    >
      <ServerHead server={server}>
        <h2 className="min-w-0 truncate font-semibold text-base leading-6">
          <Link
            to="/servers/$name"
            params={{ name: server.name }}
            data-row={row}
            className="outline-none after:absolute after:inset-0 focus-visible:after:rounded-card focus-visible:after:outline-2 focus-visible:after:outline-(--focus)"
          >
            {server.name}
          </Link>
        </h2>
      </ServerHead>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-muted text-xs tabular-nums sm:pl-13">
        <ServerStateMark state={server.state} />
        <ToolCount server={server} />
        {counts.waiting > 0 && (
          <Badge tone="warn" icon={<TriangleAlert aria-hidden />}>
            {counts.waiting === 1 ? '1 tool to review' : `${counts.waiting} tools to review`}
          </Badge>
        )}
        {counts.conflicts > 0 && (
          <Badge tone="danger" icon={<CircleSlash aria-hidden />}>
            {counts.conflicts === 1 ? '1 name conflict' : `${counts.conflicts} name conflicts`}
          </Badge>
        )}
        <VersionsMark server={server} />
        {server.running > 0 && <span>{formatCount(server.running, 'call')} running</span>}
      </div>
      <ServerTrouble server={server} className="sm:ml-13" />
    </li>
  );
}

export interface ServerHeadProps {
  server: ServerSummary;
  isOnItsScreen?: boolean;
  /** The name as a heading. */
  children: ReactNode;
}

/** Icon, name, location and actions. On a phone, the location has its own line. */
export function ServerHead({ server, isOnItsScreen = false, children }: ServerHeadProps) {
  return (
    <div className="grid grid-cols-[auto_minmax(0,1fr)_auto] items-center gap-x-3 sm:items-start">
      <span className="sm:row-span-2">
        <ServerIcon transport={server.definition.transport} />
      </span>
      <div className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
        {children}
        <OriginBadge server={server} />
      </div>
      <div className="relative z-10 sm:row-span-2">
        <ServerActions server={server} isOnItsScreen={isOnItsScreen} />
      </div>
      <p
        className="line-clamp-2 [overflow-wrap:anywhere] font-mono text-faint text-xs max-sm:col-span-3 max-sm:mt-2 sm:col-start-2"
        title={locationOfServer(server.definition)}
      >
        {locationOfServer(server.definition)}
      </p>
    </div>
  );
}

function ServerIcon({ transport }: { transport: ServerSummary['definition']['transport'] }) {
  const Icon = transport === 'stdio' ? SquareTerminal : Globe;
  return (
    <span
      title={transportNames[transport]}
      className="flex size-10 shrink-0 items-center justify-center rounded-xl bg-accent-soft text-accent-text max-sm:size-9"
    >
      <Icon aria-label={transportNames[transport]} className="size-5" />
    </span>
  );
}

/** Marks a server from the config, which cannot be edited here. */
function OriginBadge({ server }: { server: ServerSummary }) {
  if (server.origin === 'store') return null;
  return <Badge title={`Edit ${server.place} to change this server`}>From zoo.toml</Badge>;
}

function ToolCount({ server }: { server: ServerSummary }) {
  const { active, total } = countTools(server);
  if (total === 0) return <span>{server.listedAt === null ? 'Tools not listed yet' : 'No tools'}</span>;
  return (
    <span>{active === total ? formatCount(total, 'tool') : `${active} of ${formatCount(total, 'tool')} active`}</span>
  );
}
