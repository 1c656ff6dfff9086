import type { Clock } from '../../base/clock.ts';
import { HubError, toHubError } from '../../base/hub-error.ts';
import type { ServerState } from '../servers.ts';
import type { ServerConnection } from './server-connection.ts';
import { type WithinOptions, within } from './within.ts';

export interface SupervisedOptions {
  name: string;
  clock: Clock;
  /** Returns 0 to 1, for the jitter of retry delays. */
  random: () => number;
  connectTimeoutMs(): number;
  /** Tells whether to retry forever, or only a limited number of times. */
  isAlwaysWanted(): boolean;
  open(signal: AbortSignal): Promise<ServerConnection>;
  /** Lists the tools before anybody uses the connection; throwing fails the attempt. */
  onOpened(connection: ServerConnection, signal: AbortSignal): Promise<void>;
  /** Returns the error's message for the user, without secrets. */
  toReason(error: HubError): string;
  onState(): void;
}

const firstDelayMs = 1_000;
const maxDelayMs = 60_000;
/** After a connection that lasted this long, retry delays start from the beginning. */
const stableMs = 30_000;
/** The number of automatic attempts for a server that is not always wanted. */
const maxAttempts = 10;
/** Errors for which retrying does not help: the user must do something first. */
const permanentErrors = new Set([
  'SIGN_IN_REQUIRED',
  'INVALID_CONFIG',
  'INVALID_ARGUMENTS',
  'NOT_CONFIGURED',
  'PERMISSION_DENIED',
]);

/** The main connection to a server: opened on demand, reopened with growing delays when it is lost, and closed with all its processes. */
export class SupervisedConnection {
  readonly #options: SupervisedOptions;
  #state: ServerState = { kind: 'idle' };
  #connection: ServerConnection | undefined;
  #attempt: Attempt | undefined;
  /** The connection was requested, and nobody has disconnected it since. */
  #isWanted = false;
  #failures = 0;
  #failingSince = 0;
  /** The earliest time of the next attempt. */
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

  /** Returns the connection for a call, and waits for it as long as connecting may take. Throws UNAVAILABLE and the errors of connecting. */
  async ready(signal?: AbortSignal): Promise<ServerConnection> {
    if (this.#connection) return this.#connection;
    this.#refuseClosed();
    const { clock } = this.#options;
    const waitMs = this.#notBefore - clock.now();
    if (this.#state.kind === 'sign-in' && waitMs > 0 && this.#lastError) throw this.#lastError;
    const attempt = this.#attempt ?? this.#begin();
    // After a stable connection, the first call need not wait. A server that fails repeatedly is left alone until its delay is over.
    if (this.#failures === 0) attempt.hurry();
    const milliseconds = this.#options.connectTimeoutMs();
    if (attempt.isWaiting && waitMs > milliseconds) throw this.#notConnected();
    const subject = `the server "${this.#options.name}"`;
    return within(
      { clock, milliseconds, timeoutError: () => this.#notConnected(), signal, subject },
      () => attempt.done,
    );
  }

  /** Connects now, regardless of earlier failures. Throws the errors of connecting. */
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

  /** Connects in the background; `state` shows the outcome. */
  start(): void {
    if (this.#isClosed) return;
    this.#isWanted = true;
    if (!this.#connection && !this.#attempt) this.#begin();
  }

  /** Closes the connection or stops the attempt. Resolves when all their processes have ended. */
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

  /** Called when a call failed because the server requires a sign-in. */
  needSignIn(error: HubError): void {
    const connection = this.#connection;
    if (!connection) return;
    this.#connection = undefined;
    this.#end(connection);
    this.#failed(error);
  }

  /** Disconnects permanently. */
  close(): Promise<void> {
    this.#isClosed = true;
    return this.disconnect();
  }

  #begin(): Attempt {
    const attempt = new Attempt();
    this.#attempt = attempt;
    attempt.done = this.#run(attempt);
    // Often nobody waits for this attempt; those who do get the error.
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

  /** Connecting and listing have separate timeouts: a long list must not look like a server that does not respond. */
  async #open(attempt: Attempt): Promise<{ connection: ServerConnection; loss: Loss }> {
    const { name, clock, onOpened, connectTimeoutMs } = this.#options;
    const milliseconds = connectTimeoutMs();
    const limits = { clock, milliseconds, signal: attempt.signal, subject: `the server "${name}"` };
    const connection = await this.#openInTime({
      ...limits,
      timeoutError: () => tooSlow(name, milliseconds, 'connect'),
    });
    const loss = new Loss(connection);
    const lost = new Promise<never>((_resolve, reject) => {
      loss.listen((reason) =>
        reject(new HubError('UNAVAILABLE', `The server "${name}" disconnected while listing its tools: ${reason}`)),
      );
    });
    lost.catch(() => {});
    try {
      await within({ ...limits, timeoutError: () => tooSlow(name, milliseconds, 'list its tools') }, (signal) =>
        Promise.race([onOpened(connection, signal), lost]),
      );
      attempt.signal.throwIfAborted();
      return { connection, loss };
    } catch (error) {
      this.#end(connection);
      throw error;
    }
  }

  /** Closes a connection that comes too late; `disconnect` waits for that. */
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
    loss.listen((reason) => {
      if (this.#connection !== connection) return;
      this.#connection = undefined;
      this.#end(connection);
      if (clock.now() - since >= stableMs) this.#failures = 0;
      else this.#failures += 1;
      this.#scheduleRetry(new HubError('UNAVAILABLE', reason));
    });
  }

  #failed(error: HubError): HubError {
    this.#failures += 1;
    this.#scheduleRetry(error);
    return error;
  }

  /** Sets the delay before the next attempt, and schedules the attempt if the server is wanted. */
  #scheduleRetry(error: HubError): void {
    const { clock, random, isAlwaysWanted, toReason } = this.#options;
    const delay = Math.min(maxDelayMs, firstDelayMs * 2 ** Math.min(20, Math.max(0, this.#failures - 1)));
    const now = clock.now();
    this.#lastError = error;
    this.#notBefore = now + Math.round(delay * (0.5 + random() / 2));
    if (this.#failures <= 1) this.#failingSince = now;
    const willRetry =
      this.#isWanted && !permanentErrors.has(error.code) && (isAlwaysWanted() || this.#failures < maxAttempts);
    if (willRetry) this.#begin();
    const reason = toReason(error);
    const retryAt = willRetry ? this.#notBefore : null;
    const since = this.#failingSince;
    this.#setState(
      error.code === 'SIGN_IN_REQUIRED'
        ? { kind: 'sign-in', reason, since }
        : { kind: 'failed', reason, since, attempts: this.#failures, retryAt },
    );
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
    const when = seconds > 0 ? `The next attempt is in ${seconds} s.` : 'Try again later.';
    return new HubError('UNAVAILABLE', `The server "${name}" is not connected${why}; nothing was called. ${when}`, {
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

/** One attempt to connect, including the delay before it. */
class Attempt {
  readonly #hurry = new AbortController();
  readonly #end = new AbortController();
  isWaiting = false;
  done: Promise<ServerConnection> = Promise.reject(new Error('The attempt has not started.'));

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

/** The loss of a connection. It has one listener at a time; a listener that comes too late is called at once. */
class Loss {
  #reason: string | undefined;
  #listener: ((reason: string) => void) | undefined;

  constructor(connection: ServerConnection) {
    connection.onClosed((reason) => {
      this.#reason = reason;
      this.#listener?.(reason);
    });
  }

  listen(listener: (reason: string) => void): void {
    this.#listener = listener;
    if (this.#reason !== undefined) listener(this.#reason);
  }
}

function tooSlow(name: string, milliseconds: number, what: string): HubError {
  return new HubError('TIMEOUT', `The server "${name}" did not ${what} within ${milliseconds / 1_000} s.`);
}

function withoutDot(text: string): string {
  return text.replace(/\.$/, '');
}
