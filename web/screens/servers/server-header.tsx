import { Info } from 'lucide-react';
import type { ServerInfo } from '../../../src/servers/servers.ts';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { formatCount } from '../../ui/format-count.ts';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { ServerHead } from './server-row.tsx';
import { ServerStateMark, ServerTrouble } from './server-state.tsx';

/** Name, state and what can be done, above the tabs. */
export function ServerHeader({ server }: { server: ServerInfo }) {
  return (
    <header data-server={server.name} data-state={server.state.kind} className="mb-4 flex flex-col gap-2.5">
      <ServerHead server={server} isOnItsScreen>
        <h1 className="min-w-0 break-all font-semibold text-2xl leading-8">{server.name}</h1>
      </ServerHead>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-muted text-xs tabular-nums sm:pl-13">
        <ServerStateMark state={server.state} />
        <Facts server={server} />
      </div>
      <ServerTrouble state={server.state} className="sm:ml-13" />
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
      {running > 0 && <span>{running.toLocaleString('en')} under way</span>}
      {stats.reconnects > 0 && <span>reconnected {stats.reconnects === 1 ? 'once' : `${stats.reconnects} times`}</span>}
      {listedAt !== null && (
        <span>
          listed <RelativeTime at={new Date(listedAt).toISOString()} />
        </span>
      )}
    </>
  );
}

/** What the server tells models about itself. */
function Instructions({ text }: { text: string }) {
  return (
    <details className="text-sm sm:ml-13">
      <summary className="w-fit cursor-pointer rounded-md text-muted text-xs hover:text-text">
        <Info aria-hidden className="mr-1 inline size-3.5 align-[-0.2em]" />
        What the server says about itself
      </summary>
      <p className="mt-1.5 max-h-60 overflow-y-auto whitespace-pre-wrap rounded-lg bg-sunken/60 px-3 py-2 text-muted text-xs [overflow-wrap:anywhere]">
        <ForeignText text={text} />
      </p>
    </details>
  );
}
