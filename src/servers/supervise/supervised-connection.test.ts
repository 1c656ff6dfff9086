import { expect, it } from 'vitest';
import { remoteTool, ScriptedServer } from '../../../test/support/servers/test-servers.ts';
import { type SteppedClock, steppedClock } from '../../../test/support/time/stepped-clock.ts';
import { HubError } from '../../base/hub-error.ts';
import { silentLogger } from '../../base/logger.ts';
import { ServerDefinition } from '../server-definition.ts';
import type { ServerState } from '../servers.ts';
import { SupervisedConnection } from './supervised-connection.ts';

interface Supervised {
  link: SupervisedConnection;
  server: ScriptedServer;
  clock: SteppedClock;
  states: ServerState[];
  /** Resolves when the connection has this state, now or later. */
  reach(kind: ServerState['kind']): Promise<void>;
  /** Resolves with the failure after this many attempts. */
  failedTimes(attempts: number): Promise<ServerState>;
}

const definition = ServerDefinition.parse({ transport: 'stdio', command: 'x' });

function supervise(options: { isAlwaysWanted?: boolean; random?: number; connectTimeoutMs?: number } = {}): Supervised {
  const server = new ScriptedServer(remoteTool('a'));
  const clock = steppedClock();
  const states: ServerState[] = [];
  const waiting = new Set<() => void>();
  const link = new SupervisedConnection({
    name: 'x',
    clock,
    random: () => options.random ?? 1,
    connectTimeoutMs: () => options.connectTimeoutMs ?? 30_000,
    isAlwaysWanted: () => options.isAlwaysWanted ?? false,
    open: (signal) => server.connect({ name: 'x', definition, signal, logger: silentLogger, onLog: () => {} }),
    onOpened: async (connection, signal) => {
      await connection.listTools({ signal });
    },
    toReason: (error) => error.message,
    onState: () => {
      states.push(link.state);
      for (const check of waiting) check();
    },
  });
  function until(holds: () => boolean): Promise<void> {
    if (holds()) return Promise.resolve();
    return new Promise((resolve) => {
      const check = () => {
        if (!holds()) return;
        waiting.delete(check);
        resolve();
      };
      waiting.add(check);
    });
  }
  return {
    link,
    server,
    clock,
    states,
    reach: (kind) => until(() => link.state.kind === kind),
    async failedTimes(attempts) {
      await until(() => link.state.kind === 'failed' && link.state.attempts === attempts);
      return link.state;
    },
  };
}

function fails(server: ScriptedServer, error = new HubError('UNAVAILABLE', 'No such command.')): void {
  server.connecting = () => {
    throw error;
  };
}

it('all waiting callers share one attempt', async () => {
  const { link, server, states } = supervise();
  const [one, other] = await Promise.all([link.ready(), link.ready()]);
  expect(one).toBe(other);
  expect(link.current).toBe(one);
  expect(server.attempts).toHaveLength(1);
  expect(states.map(({ kind }) => kind)).toEqual(['connecting', 'connected']);
  await link.close();
  expect(server.open).toEqual([]);
});

it('after a long stable connection, the next call reconnects without delay', async () => {
  const { link, server, clock } = supervise();
  await link.ready();
  clock.advance(30_000);
  server.fall();
  expect(link.state).toMatchObject({ kind: 'failed', attempts: 0, retryAt: clock.time + 1_000 });
  await link.ready();
  expect(link.state.kind).toBe('connected');
  expect(link.reconnects).toBe(1);
  await link.close();
});

it('a lost server is reconnected automatically', async () => {
  const { link, server, clock, reach } = supervise();
  await link.ready();
  server.fall('It exited with code 3.');
  expect(link.state).toMatchObject({ kind: 'failed', reason: 'It exited with code 3.', retryAt: clock.time + 1_000 });
  clock.advance(999);
  expect(server.attempts).toHaveLength(1);
  clock.advance(1);
  await reach('connected');
  expect(server.attempts).toHaveLength(2);
  await link.close();
});

it('delays double up to a minute, and a server that is always wanted is retried forever', async () => {
  const { link, server, clock, failedTimes } = supervise({ isAlwaysWanted: true });
  fails(server);
  link.start();
  const delays: number[] = [];
  for (let attempts = 1; attempts <= 14; attempts += 1) {
    const state = await failedTimes(attempts);
    const delay = (state.kind === 'failed' && state.retryAt !== null ? state.retryAt : 0) - clock.time;
    delays.push(delay);
    clock.advance(delay);
  }
  expect(delays.map((delay) => delay / 1_000)).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60, 60, 60, 60, 60, 60]);
  await link.close();
  expect(clock.sleeps()).toEqual([]);
});

it('jitter shortens each delay by up to half', async () => {
  const { link, server, clock, failedTimes } = supervise({ isAlwaysWanted: true, random: 0 });
  fails(server);
  link.start();
  expect(await failedTimes(1)).toMatchObject({ retryAt: clock.time + 500 });
  await link.close();
});

it('a server that is not always wanted is given up after ten attempts; a call tries again', async () => {
  const { link, server, clock, failedTimes, reach } = supervise();
  fails(server);
  link.start();
  for (let attempts = 1; attempts < 10; attempts += 1) {
    await failedTimes(attempts);
    clock.advance(60_000);
  }
  expect(await failedTimes(10)).toMatchObject({ retryAt: null });
  clock.advance(600_000);
  expect(server.attempts).toHaveLength(10);
  server.connecting = () => {};
  await link.ready();
  await reach('connected');
  await link.close();
});

it('a server that was never connected is not retried automatically after a call', async () => {
  const { link, server } = supervise();
  fails(server);
  await expect(link.ready()).rejects.toThrow('No such command.');
  expect(link.state).toMatchObject({ kind: 'failed', attempts: 1, retryAt: null });
  expect(server.attempts).toHaveLength(1);
  await link.close();
});

it('a hundred crashes in a row cause few attempts, and calls fail in time', async () => {
  const { link, server, clock, reach } = supervise({ isAlwaysWanted: true, connectTimeoutMs: 5_000 });
  await link.ready();
  for (let round = 0; round < 100; round += 1) {
    server.fall();
    const call = link.ready().then(
      () => 'connected',
      (error: HubError) => `${error.code} ${error.details?.mayHaveRun}`,
    );
    clock.advance(5_000);
    const outcome = await call;
    expect(['connected', 'UNAVAILABLE false']).toContain(outcome);
  }
  // 500 seconds: five short delays, then one attempt a minute.
  expect(server.attempts.length).toBeLessThan(20);
  clock.advance(60_000);
  await reach('connected');
  await link.close();
});

it('a call waits for a reconnect, but no longer than the connect timeout', async () => {
  const { link, server, clock } = supervise({ connectTimeoutMs: 500 });
  await link.ready();
  server.fall();
  // The next attempt is in a second; the call does not wait for it.
  await expect(link.ready()).rejects.toThrow(
    /"x" is not connected \(It exited with code 1\); nothing was called\. The next attempt is in 1 s/,
  );
  server.connecting = () => new Promise(() => {});
  clock.advance(1_000);
  const call = link.ready();
  clock.advance(500);
  await expect(call).rejects.toThrow(/"x"/);
  expect(server.open).toEqual([]);
  server.connecting = () => {};
});

it('a server that never responds times out; a late connection is closed', async () => {
  const { link, server, clock, failedTimes } = supervise({ connectTimeoutMs: 2_000 });
  const { promise, resolve } = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  server.connecting = () => {
    begun.resolve();
    return promise;
  };
  const call = link.connectNow();
  call.catch(() => {});
  await begun.promise;
  clock.advance(2_000);
  await expect(call).rejects.toMatchObject({ code: 'TIMEOUT', message: 'The server "x" did not connect within 2 s.' });
  await failedTimes(1);
  expect(server.attempts[0]?.signal.aborted).toBe(true);
  resolve();
  await link.close();
  expect(server.open).toEqual([]);
});

it('a server that never lists its tools times out and is closed', async () => {
  const { link, server, clock } = supervise({ connectTimeoutMs: 2_000 });
  const listed = Promise.withResolvers<void>();
  server.listing = () => {
    listed.resolve();
    return new Promise(() => {});
  };
  const call = link.ready();
  call.catch(() => {});
  await listed.promise;
  clock.advance(2_000);
  await expect(call).rejects.toMatchObject({ code: expect.stringMatching(/TIMEOUT|UNAVAILABLE/) });
  await link.close();
  expect(server.open).toEqual([]);
});

it('a server that disconnects while listing fails the attempt', async () => {
  const { link, server } = supervise();
  server.listing = () => {
    server.fall('It exited with code 9.');
    return new Promise(() => {});
  };
  await expect(link.ready()).rejects.toThrow(/disconnected while listing its tools: It exited with code 9/);
  await link.close();
});

it('a server that requires a sign-in is not retried, and calls fail at once', async () => {
  const { link, server, clock } = supervise({ isAlwaysWanted: true });
  fails(server, new HubError('SIGN_IN_REQUIRED', 'Sign in first.'));
  await expect(link.ready()).rejects.toThrow('Sign in first.');
  await expect(link.ready()).rejects.toThrow('Sign in first.');
  expect(server.attempts).toHaveLength(1);
  expect(link.state).toEqual({ kind: 'sign-in', reason: 'Sign in first.', since: expect.any(Number) });
  expect(clock.sleeps()).toEqual([]);
  server.connecting = () => {};
  await link.connectNow();
  expect(link.state.kind).toBe('connected');
  await link.close();
});

it.each(['before it is tried again', 'while it connects', 'while it lists', 'while it is there'])(
  'it can be ended %s, and nothing is left',
  async (when) => {
    const { link, server, clock } = supervise({ isAlwaysWanted: true });
    const begun = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    const pause = () => {
      begun.resolve();
      return go.promise;
    };
    if (when === 'before it is tried again') fails(server);
    if (when === 'while it connects') server.connecting = pause;
    if (when === 'while it lists') server.listing = pause;
    const call = link.ready().catch((error: HubError) => error.code);
    if (when.startsWith('while it is')) await call;
    else if (when.startsWith('while')) await begun.promise;
    else await call;
    const ended = link.disconnect();
    expect(link.state).toEqual({ kind: 'idle' });
    go.resolve();
    await ended;
    if (when.startsWith('while it ') && when !== 'while it is there') expect(await call).toBe('UNAVAILABLE');
    expect(server.open).toEqual([]);
    expect(clock.sleeps()).toEqual([]);
    expect(link.state).toEqual({ kind: 'idle' });
    fails(server, new HubError('UNAVAILABLE', 'Asked again.'));
    await expect(link.ready()).rejects.toThrow('Asked again.');
    await link.close();
    await expect(link.ready()).rejects.toThrow('The server "x" was disconnected');
    await expect(link.connectNow()).rejects.toThrow('The server "x" was disconnected');
  },
);

it('a cancelled call does not stop the attempt for the others', async () => {
  const { link, server } = supervise();
  const go = Promise.withResolvers<void>();
  server.connecting = () => go.promise;
  const end = new AbortController();
  const one = link.ready(end.signal);
  const other = link.ready();
  end.abort();
  await expect(one).rejects.toMatchObject({ code: 'CANCELLED' });
  go.resolve();
  const connection = await other;
  expect(link.current).toBe(connection);
  await link.close();
});
