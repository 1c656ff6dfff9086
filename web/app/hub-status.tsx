import type { StatusBody } from '../../src/http/hub.contract.ts';
import { type LiveState, useLiveState } from '../api/live.ts';
import { useStatus } from '../api/queries.ts';
import { classes } from '../ui/classes.ts';

type State = LiveState | 'stuck' | 'away';

const words: Record<State, string> = {
  connecting: 'Connecting…',
  live: 'Live',
  lost: 'Reconnecting…',
  stuck: 'Database problem',
  away: 'Read-only',
};

/** Connection state, version and database of the hub. Changes are announced where it is always on the screen. */
export function HubStatus({ isAnnounced = false }: { isAnnounced?: boolean }) {
  const live = useLiveState();
  const { data } = useStatus();
  const stuck = data?.problems.find(({ isCritical }) => isCritical);
  const isStuck = live === 'live' && stuck !== undefined;
  const state: State = isStuck ? (stuck.since === undefined ? 'stuck' : 'away') : live;
  return (
    <div className="px-2.5 py-2 text-xs leading-4.5" data-live={state}>
      <p className="flex items-center gap-2">
        <span
          aria-hidden
          className={classes(
            'size-2 rounded-full',
            state === 'live' && 'bg-accent ring-3 ring-accent/20',
            state === 'connecting' && 'animate-pulse bg-faint',
            state === 'lost' && 'animate-pulse bg-warn ring-3 ring-warn/20',
            isStuck && 'bg-danger ring-3 ring-danger/20',
          )}
        />
        <span {...(isAnnounced && { role: 'status' })} className={classes('font-medium', isStuck && 'text-danger')}>
          {words[state]}
        </span>
        {data && <span className="text-faint">v{data.version}</span>}
      </p>
      {data && (
        <p className="mt-0.5 truncate pl-4 text-faint" title={data.database.place}>
          {databaseNames[data.database.kind]} · {lastPart(data.database.place)}
        </p>
      )}
    </div>
  );
}

const databaseNames: Record<StatusBody['database']['kind'], string> = { sqlite: 'SQLite', postgres: 'PostgreSQL' };

function lastPart(location: string): string {
  return location.split(/[\\/]/).filter(Boolean).at(-1) ?? location;
}
