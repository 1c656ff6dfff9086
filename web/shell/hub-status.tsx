import type { StatusBody } from '../../src/http/hub.contract.ts';
import { type LiveState, useLiveState } from '../api/live.ts';
import { useStatus } from '../api/queries.ts';
import { classes } from '../ui/classes.ts';

const words: Record<LiveState, string> = { connecting: 'Connecting…', live: 'Live', lost: 'Reconnecting…' };

/** The hub behind the page: whether it is heard, its version, its database. */
export function HubStatus() {
  const live = useLiveState();
  const { data } = useStatus();
  return (
    <div className="px-2.5 py-2 text-xs leading-4.5" data-live={live}>
      <p className="flex items-center gap-2">
        <span
          aria-hidden
          className={classes(
            'size-2 rounded-full',
            live === 'live' && 'bg-accent ring-3 ring-accent/20',
            live === 'connecting' && 'animate-pulse bg-faint',
            live === 'lost' && 'animate-pulse bg-warn ring-3 ring-warn/20',
          )}
        />
        <span role="status" className="font-medium">
          {words[live]}
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

function lastPart(place: string): string {
  return place.split(/[\\/]/).filter(Boolean).at(-1) ?? place;
}
