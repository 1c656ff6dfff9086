import type { Readable, Writable } from 'node:stream';
import { stdioClient } from '../../callers/callers.ts';
import type { Team } from '../../team/team.ts';
import { type McpParts, McpServer } from '../mcp-server.ts';
import { type Greeting, greetingOf } from '../protocol/greeting.ts';
import { notificationText } from '../protocol/protocol.ts';
import { LineReader } from './line-reader.ts';
import { StdioConnection } from './stdio-connection.ts';

export interface StdioOptions {
  /** Offers only what this agent may use. */
  agent?: string | undefined;
  /** Serves this member of the team. */
  member?: string | undefined;
  /** Serves only this Tools-mode agent. */
  served?: string | undefined;
  input: Readable;
  output: Writable;
  /** The messages that were exchanged before this server took over. */
  greeted?: Greeted | undefined;
  /** Called shortly after the start, before the replies to a new client are computed. The returned function receives them. */
  beforeGreeting?: (() => (greeting: Greeting) => void) | undefined;
  /** Ends the connection: aborts running calls and closes subscriptions. */
  signal?: AbortSignal | undefined;
}

/** The first lines of a client, read by the process that greeted it. */
export interface Greeted {
  /** Lines that were already answered or need no reply. The server must still process them. */
  handled: readonly string[];
  /** Lines that still need a reply. */
  waiting: readonly string[];
  /** The start of an incomplete line. */
  rest: string;
  /** The replies that were sent. */
  greeting: Greeting;
}

interface StdioParts extends McpParts {
  readonly team: Pick<Team, 'members' | 'health'>;
}

/** Delays the work for the next start, so that it does not slow down the first replies. */
const greetingDelayMs = 50;
/** The server stops reading while this many requests are running. */
const maxRunning = 256;
/** How long a stopping server waits for a client to read its last lines. */
const finalFlushMs = 1_000;

/**
 * Serves MCP as lines on a pair of streams. Resolves when the input has ended and all running calls are answered.
 * Before it reads anything, it throws AGENT_NOT_FOUND for an unknown agent and INVALID_AGENT_STATE for a `served` agent of another mode.
 */
export async function serveMcpStdio(parts: StdioParts, options: StdioOptions): Promise<void> {
  const { input, output, signal } = options;
  const server = new McpServer(parts);
  const view = await server.view({
    agentId: options.agent,
    memberId: options.member,
    servedId: options.served,
    from: stdioClient,
  });
  const attending = options.member === undefined ? undefined : parts.team.health.attend(options.member);
  const writer = new TurnWriter(output);
  const connection = new StdioConnection(server, view, writer);
  const reader = new LineReader({
    line: (text) => connection.receive(text),
    tooLong: () => connection.refuseLongLine(),
  });
  for (const line of options.greeted?.handled ?? []) connection.receiveSilently(line);
  for (const line of options.greeted?.waiting ?? []) connection.receive(line);
  if (options.greeted) reader.push(options.greeted.rest);
  const greeting = setTimeout(() => void updateGreeting().catch(() => {}), greetingDelayMs).unref();
  async function updateGreeting(): Promise<void> {
    const save = options.beforeGreeting?.();
    const now = await greetingOf(server, view);
    // Another process may have changed the list since the greeting.
    if (options.greeted && options.greeted.greeting.tools !== now.tools)
      writer.writeOnce(notificationText('notifications/tools/list_changed'));
    save?.(now);
  }
  let isStopped = false;
  const throttle = () => {
    if (isStopped) return;
    if (connection.running < maxRunning && !writer.isFull) {
      if (input.isPaused()) input.resume();
    } else if (!input.isPaused()) {
      input.pause();
    }
  };
  connection.onSettled = throttle;
  writer.onDrain = throttle;
  await new Promise<void>((resolve) => {
    const onData = (chunk: Buffer | string) => {
      reader.push(chunk);
      throttle();
    };
    const stop = () => {
      isStopped = true;
      input.off('data', onData);
      // An open input must not keep the process alive.
      input.pause();
      signal?.removeEventListener('abort', stop);
      resolve();
    };
    input.on('data', onData);
    input.once('end', () => {
      reader.end();
      stop();
    });
    input.once('close', stop);
    input.once('error', stop);
    writer.onError = stop;
    // The greeting may have read the whole input.
    if (input.readableEnded) reader.end();
    if (signal?.aborted || input.readableEnded || input.destroyed) stop();
    else signal?.addEventListener('abort', stop, { once: true });
    // The greeting paused the input, and adding a listener does not resume it.
    throttle();
  });
  clearTimeout(greeting);
  await connection.close(signal?.aborted ?? false);
  await writer.flush(signal?.aborted ? finalFlushMs : undefined);
  server.close();
  await attending?.close();
}

/** Writes at once above this size, so that a full output is noticed in time. */
const maxBufferedCharacters = 64 * 1024;

/** Joins the lines of one turn of the event loop into one write. */
class TurnWriter {
  readonly #output: Writable;
  #lines: string[] = [];
  #buffered = 0;
  readonly #later = new Set<string>();
  #isBroken = false;
  onDrain: () => void = () => {};
  onError: () => void = () => {};

  constructor(output: Writable) {
    this.#output = output;
    output.on('drain', () => {
      this.#writeLater();
      this.onDrain();
    });
    output.on('error', () => {
      this.#isBroken = true;
      this.#lines = [];
      this.#later.clear();
      this.onError();
    });
  }

  /** Whether the reader of the output is too slow. */
  get isFull(): boolean {
    return this.#output.writableNeedDrain;
  }

  write(line: string): void {
    if (this.#isBroken) return;
    this.#buffered += line.length;
    if (this.#lines.push(line) === 1) process.nextTick(() => this.#send());
    if (this.#buffered > maxBufferedCharacters) this.#send();
  }

  /** Queues the line while the output is full, without duplicates, so that unread lines do not fill the memory. */
  writeOnce(line: string): void {
    if (!this.isFull) this.write(line);
    else if (!this.#isBroken) this.#later.add(line);
  }

  /** Resolves when the operating system has all output, when writing fails, or after this time. */
  async flush(milliseconds: number | undefined): Promise<void> {
    if (this.#isBroken || this.#output.destroyed) return;
    this.#writeLater();
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = milliseconds === undefined ? undefined : setTimeout(resolve, milliseconds);
    this.#output.once('close', resolve);
    this.#output.once('error', () => resolve());
    this.#output.write(this.#take(), () => resolve());
    await promise;
    clearTimeout(timer);
  }

  #writeLater(): void {
    const lines = [...this.#later];
    this.#later.clear();
    for (const line of lines) this.write(line);
  }

  #send(): void {
    if (this.#lines.length > 0 && !this.#isBroken) this.#output.write(this.#take());
  }

  #take(): string {
    const text = this.#lines.length > 0 ? `${this.#lines.join('\n')}\n` : '';
    this.#lines = [];
    this.#buffered = 0;
    return text;
  }
}
