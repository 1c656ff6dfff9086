import { CircleAlert, CircleCheck, CircleDashed, CircleOff, LoaderCircle, LogIn } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { ServerSummary } from '../../../src/servers/servers.contract.ts';
import type { ServerState } from '../../../src/servers/servers.ts';
import { needsSignIn, signInNeeded } from '../../../src/servers/sign-in-need.ts';
import { classes } from '../../ui/classes.ts';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { stateNames, untilRetry } from './describe-server.ts';

const looks: Record<ServerState['kind'], { icon: typeof CircleCheck; look: string }> = {
  idle: { icon: CircleDashed, look: 'text-muted' },
  connecting: { icon: LoaderCircle, look: 'text-info [&_svg]:animate-spin' },
  connected: { icon: CircleCheck, look: 'text-accent-text' },
  failed: { icon: CircleAlert, look: 'text-danger' },
  'sign-in': { icon: LogIn, look: 'text-warn' },
  disabled: { icon: CircleOff, look: 'text-faint' },
};

/** Shows the state of the connection. */
export function ServerStateMark({ state }: { state: ServerState }) {
  const { icon: Icon, look } = looks[state.kind];
  return (
    <span role="status" className={classes('inline-flex items-center gap-1 font-medium [&_svg]:size-3.5', look)}>
      <Icon aria-hidden />
      <span>
        {stateNames[state.kind]}
        <Since state={state} />
      </span>
    </span>
  );
}

function Since({ state }: { state: ServerState }) {
  const look = 'ml-1 font-normal text-muted';
  if (state.kind === 'idle') return <span className={look}>· connects on the first call</span>;
  if (state.kind !== 'connected' && state.kind !== 'failed') return null;
  return (
    <span className={look}>
      <RelativeTime at={new Date(state.since).toISOString()} />
    </span>
  );
}

/** Explains a failure and when the hub retries. */
export function ServerTrouble({ server, className }: { server: ServerSummary; className?: string }) {
  const { state, definition } = server;
  if (state.kind !== 'failed' && state.kind !== 'sign-in') return null;
  const isFailed = state.kind === 'failed';
  const asksForSignIn = !isFailed && needsSignIn(definition);
  return (
    <p
      role={isFailed ? 'alert' : 'status'}
      className={classes(
        'whitespace-pre-wrap break-words rounded-lg px-3 py-2 text-sm [overflow-wrap:anywhere]',
        isFailed ? 'bg-danger-soft text-danger' : 'bg-warn-soft text-warn',
        className,
      )}
    >
      {asksForSignIn ? signInNeeded : state.reason}
      {asksForSignIn && definition.auth === null && (
        <span className="mt-0.5 block text-xs opacity-90">{state.reason}</span>
      )}
      {isFailed && (
        <span className="mt-0.5 block text-xs opacity-90">
          {state.attempts > 1 && `${state.attempts} attempts failed. `}
          {state.retryAt === null ? (
            'The hub has stopped retrying. It tries again on the next call, or when you choose “Retry now”.'
          ) : (
            <NextRetry at={state.retryAt} />
          )}
        </span>
      )}
    </p>
  );
}

/** Counts down without announcing every second. */
function NextRetry({ at }: { at: number }) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, []);
  return (
    <span aria-live="off" className="tabular-nums">
      {`Retrying ${untilRetry(at, now) ?? 'now'}.`}
    </span>
  );
}
