import type { Clock } from '../../base/clock.ts';
import { HubError, toHubError } from '../../base/hub-error.ts';
import type { ServerState } from '../servers.ts';
import type { ServerConnection } from './server-connection.ts';
import { type WithinOptions, within } from './within.ts';

export interface SupervisedOptions {
  name: string;
  clock: Clock;
  /** 0 to 1, for the jitter. */
  random: () => number;
  connectTimeoutMs(): number;
  /** Whether it is tried again without end, or only for a while. */
  isAlwaysWanted(): boolean;
  open(signal: AbortSignal): Promise<ServerConnection>;
  /** Reads what the server has before anybody uses it; a throw fails the attempt. */
  onOpened(connection: ServerConnection, signal: AbortSignal): Promise<void>;
  /** For people; secrets are taken out. */
  toReason(error: HubError): string;
  onState(): void;
}

const firstDelayMs = 1_000;
const longestDelayMs = 60_000;
/** A connection that lasted so long was a good one: the next delay is the first again. */
const stableMs = 30_000;
/** How often a server that is not always wanted is tried again by itself. */
const maxAttempts = 10;
/** Trying again changes nothing: a person must do something first. */
const lasting = new Set([
  'SIGN_IN_REQUIRED',
  'INVALID_CONFIG',
  'INVALID_ARGUMENTS',
  'NOT_CONFIGURED',
  'PERMISSION_DENIED',
]);

/** The one connection to a server: opened when it is wanted, opened again with growing delays when it is lost, and ended with all it began. */
export class SupervisedConnection {
  readonly #options: SupervisedOptions;
  #state: ServerState = { kind: 'idle' };
  #connection: ServerConnection | undefined;
  #attempt: Attempt | undefined;
  /** It was used or asked for, and nobody ended it. */
  #isWanted = false;
  #failures = 0;
  #failingSince = 0;
  /** Before this, nobody tries. */
  #notBefore = 0;
  #opened = 0;
  #lastError: HubError | undefined;
  #isClosed = false;
  readonly #endings = new Set<Promise<unknown>>();

  constructor(options: SupervisedOptions) {
    this.#options = options;
  }

  get state(): ServerState {
    return this.#state;
  }

  get current(): ServerConnection | undefined {
    return this.#connection;
  }

  get reconnects(): number {
    return Math.max(0, this.#opened - 1);
  }

  /** For a call: waits for a connection as long as connecting may take. Throws UNAVAILABLE and what connecting throws. */
  async ready(signal?: AbortSignal): Promise<ServerConnection> {
    if (this.#connection) return this.#connection;
    this.#refuseClosed();
    const { clock } = this.#options;
    const waitMs = this.#notBefore - clock.now();
    if (this.#state.kind === 'sign-in' && waitMs > 0 && this.#lastError) throw this.#lastError;
    const attempt = this.#attempt ?? this.#begin();
    // After a good time the first call need not wait; a server that falls again and again is left alone meanwhile.
    if (this.#failures === 0) attempt.hurry();
    const milliseconds = this.#options.connectTimeoutMs();
    if (attempt.isWaiting && waitMs > milliseconds) throw this.#notConnected();
    const what = `the server "${this.#options.name}"`;
    return within({ clock, milliseconds, late: () => this.#notConnected(), signal, what }, () => attempt.done);
  }

  /** Now, whatever failed before. Throws what connecting throws. */
  async connectNow(): Promise<ServerConnection> {
    if (this.#connection) return this.#connection;
    this.#refuseClosed();
    this.#isWanted = true;
    this.#failures = 0;
    this.#notBefore = 0;
    const attempt = this.#attempt ?? this.#begin();
    attempt.hurry();
    return attempt.done;
  }

  /** In the background; who wants to know looks at the state. */
  start(): void {
    if (this.#isClosed) return;
    this.#isWanted = true;
    if (!this.#connection && !this.#attempt) this.#begin();
  }

  /** Ends the connection or the attempt, and resolves when everything it began is gone. */
  async disconnect(): Promise<void> {
    this.#isWanted = false;
    this.#failures = 0;
    this.#notBefore = 0;
    const attempt = this.#attempt;
    this.#attempt = undefined;
    attempt?.end(this.#disconnected());
    const connection = this.#connection;
    this.#connection = undefined;
    if (connection) this.#end(connection);
    this.#setState({ kind: 'idle' });
    await attempt?.done.catch(() => {});
    while (this.#endings.size > 0) await Promise.all(this.#endings);
  }

  /** A call found out that the server wants a person first. */
  needSignIn(error: HubError): void {
    const connection = this.#connection;
    if (!connection) return;
    this.#connection = undefined;
    this.#end(connection);
    this.#failed(error);
  }

  /** As `disconnect`, for good. */
  close(): Promise<void> {
    this.#isClosed = true;
    return this.disconnect();
  }

  #begin(): Attempt {
    const attempt = new Attempt();
    this.#attempt = attempt;
    attempt.done = this.#run(attempt);
    // Whoever waits hears of it; nobody may wait.
    attempt.done.catch(() => {});
    return attempt;
  }

  async #run(attempt: Attempt): Promise<ServerConnection> {
    try {
      await this.#pause(attempt);
      this.#setState({ kind: 'connecting' });
      const { connection, loss } = await this.#open(attempt);
      this.#attempt = undefined;
      this.#connected(connection, loss);
      return connection;
    } catch (error) {
      if (attempt.signal.aborted) throw attempt.signal.reason;
      this.#attempt = undefined;
      throw this.#failed(toHubError(error));
    }
  }

  async #pause(attempt: Attempt): Promise<void> {
    const { clock } = this.#options;
    const waitMs = this.#notBefore - clock.now();
    if (waitMs <= 0) return;
    attempt.isWaiting = true;
    await clock.sleep(waitMs, AbortSignal.any([attempt.hurried, attempt.signal])).catch(() => {});
    attempt.isWaiting = false;
    attempt.signal.throwIfAborted();
  }

  /** Each half has its own time: a long list must not look like a server that does not answer. */
  async #open(attempt: Attempt): Promise<{ connection: ServerConnection; loss: Loss }> {
    const { name, clock, onOpened, connectTimeoutMs } = this.#options;
    const milliseconds = connectTimeoutMs();
    const limits = { clock, milliseconds, signal: attempt.signal, what: `the server "${name}"` };
    const connection = await this.#openInTime({ ...limits, late: () => late(name, milliseconds, 'connect') });
    const loss = new Loss(connection);
    const lost = new Promise<never>((_resolve, reject) => {
      loss.hear((reason) =>
        reject(new HubError('UNAVAILABLE', `The server "${name}" ended while its tools were read: ${reason}`)),
      );
    });
    lost.catch(() => {});
    try {
      await within({ ...limits, late: () => late(name, milliseconds, 'list its tools') }, (signal) =>
        Promise.race([onOpened(connection, signal), lost]),
      );
      attempt.signal.throwIfAborted();
      return { connection, loss };
    } catch (error) {
      this.#end(connection);
      throw error;
    }
  }

  /** What comes too late is ended, and whoever disconnects waits for that. */
  #openInTime(limits: WithinOptions): Promise<ServerConnection> {
    return within(limits, (signal) => {
      const opening = this.#options.open(signal);
      const settled = opening.then(
        (opened) => {
          if (signal.aborted) this.#end(opened);
        },
        () => {},
      );
      this.#endings.add(settled);
      void settled.finally(() => this.#endings.delete(settled));
      return opening;
    });
  }

  #connected(connection: ServerConnection, loss: Loss): void {
    const { clock } = this.#options;
    const since = clock.now();
    const { serverInfo, protocolVersion } = connection.greeting;
    this.#connection = connection;
    this.#isWanted = true;
    this.#opened += 1;
    this.#lastError = undefined;
    this.#setState({
      kind: 'connected',
      since,
      serverName: serverInfo.name,
      serverVersion: serverInfo.version,
      protocolVersion,
    });
    loss.hear((reason) => {
      if (this.#connection !== connection) return;
      this.#connection = undefined;
      this.#end(connection);
      if (clock.now() - since >= stableMs) this.#failures = 0;
      else this.#failures += 1;
      this.#wait(new HubError('UNAVAILABLE', reason));
    });
  }

  #failed(error: HubError): HubError {
    this.#failures += 1;
    this.#wait(error);
    return error;
  }

  /** Until the next attempt, which is begun by itself only while the server is wanted. */
  #wait(error: HubError): void {
    const { clock, random, isAlwaysWanted, toReason } = this.#options;
    const delay = Math.min(longestDelayMs, firstDelayMs * 2 ** Math.min(20, Math.max(0, this.#failures - 1)));
    const now = clock.now();
    this.#lastError = error;
    this.#notBefore = now + Math.round(delay * (0.5 + random() / 2));
    if (this.#failures <= 1) this.#failingSince = now;
    const isAgain = this.#isWanted && !lasting.has(error.code) && (isAlwaysWanted() || this.#failures < maxAttempts);
    if (isAgain) this.#begin();
    const reason = toReason(error);
    const retryAt = isAgain ? this.#notBefore : null;
    const failed: ServerState = {
      kind: 'failed',
      reason,
      since: this.#failingSince,
      attempts: this.#failures,
      retryAt,
    };
    this.#setState(error.code === 'SIGN_IN_REQUIRED' ? { kind: 'sign-in', reason } : failed);
  }

  #end(connection: ServerConnection): void {
    const ending = connection.close().catch(() => {});
    this.#endings.add(ending);
    void ending.finally(() => this.#endings.delete(ending));
  }

  #notConnected(): HubError {
    const { name, clock } = this.#options;
    const { state } = this;
    const why = state.kind === 'failed' ? ` (${withoutDot(state.reason)})` : '';
    const seconds = Math.ceil((this.#notBefore - clock.now()) / 1_000);
    const when = seconds > 0 ? ` It is tried again in ${seconds} s; until then` : ' Try again later;';
    return new HubError('UNAVAILABLE', `The server "${name}" is not connected${why}.${when} nothing was called.`, {
      details: { mayHaveRun: false },
    });
  }

  #refuseClosed(): void {
    if (this.#isClosed) throw this.#disconnected();
  }

  #disconnected(): HubError {
    return new HubError('UNAVAILABLE', `The server "${this.#options.name}" was disconnected; nothing was called.`, {
      details: { mayHaveRun: false },
    });
  }

  #setState(state: ServerState): void {
    this.#state = state;
    this.#options.onState();
  }
}

/** One try to connect, from the waiting before it to its end. */
class Attempt {
  readonly #hurry = new AbortController();
  readonly #end = new AbortController();
  isWaiting = false;
  done: Promise<ServerConnection> = Promise.reject(new Error('An attempt that was not begun.'));

  constructor() {
    this.done.catch(() => {});
  }

  get hurried(): AbortSignal {
    return this.#hurry.signal;
  }

  get signal(): AbortSignal {
    return this.#end.signal;
  }

  hurry(): void {
    this.#hurry.abort();
  }

  end(reason: HubError): void {
    this.#end.abort(reason);
  }
}

/** The end of a connection, heard by one at a time, also by who comes after it. */
class Loss {
  #reason: string | undefined;
  #hearer: ((reason: string) => void) | undefined;

  constructor(connection: ServerConnection) {
    connection.onClosed((reason) => {
      this.#reason = reason;
      this.#hearer?.(reason);
    });
  }

  hear(hearer: (reason: string) => void): void {
    this.#hearer = hearer;
    if (this.#reason !== undefined) hearer(this.#reason);
  }
}

function late(name: string, milliseconds: number, what: string): HubError {
  return new HubError('TIMEOUT', `The server "${name}" did not ${what} within ${milliseconds / 1_000} s.`);
}

function withoutDot(text: string): string {
  return text.replace(/\.$/, '');
}
