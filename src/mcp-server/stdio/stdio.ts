import type { Readable, Writable } from 'node:stream';
import type { Team } from '../../team/team.ts';
import { type McpParts, McpServer } from '../mcp-server.ts';
import { type Greeting, greetingOf } from '../protocol/greeting.ts';
import { notificationText } from '../protocol/protocol.ts';
import { LineReader } from './line-reader.ts';
import { StdioConnection } from './stdio-connection.ts';

export interface StdioOptions {
  /** Shows and runs only what this agent may use. */
  agent?: string | undefined;
  /** Serves this member of the team. */
  member?: string | undefined;
  /** Serves this Tools-mode agent, as the server that it is, and nothing else. */
  served?: string | undefined;
  input: Readable;
  output: Writable;
  /** What was said on these streams before this server was there. */
  greeted?: Greeted | undefined;
  /** Called soon after the start, before the replies to a client that begins are made; what it returns hears them. */
  beforeGreeting?: (() => (greeting: Greeting) => void) | undefined;
  /** Ends the connection from this side: running calls are aborted, subscriptions closed. */
  signal?: AbortSignal | undefined;
}

/** Whoever greets the client reads its first lines. */
export interface Greeted {
  /** Lines that have their reply, or need none: the server has to know of them. */
  heard: readonly string[];
  /** Lines that wait for their reply. */
  waiting: readonly string[];
  /** The start of a line whose rest has not arrived. */
  rest: string;
  /** What the replies were made from. */
  greeting: Greeting;
}

interface StdioParts extends McpParts {
  readonly team: Pick<Team, 'members' | 'health'>;
}

/** Replies that a client waits for come before what only the next start needs. */
const greetingMs = 50;
/** More requests at once are not read until some are answered. */
const maxRunning = 256;
/** Told to end, the server gives a client that does not read so long for its last lines. */
const lastWordsMs = 1_000;

/**
 * Serves MCP as lines on a pair of streams. Resolves when the input has ended and every running call has been answered.
 * Throws AGENT_NOT_FOUND for an unknown agent, INVALID_AGENT_STATE for a served one of another mode, before anything is read.
 */
export async function serveMcpStdio(parts: StdioParts, options: StdioOptions): Promise<void> {
  const { input, output, signal } = options;
  const server = new McpServer(parts);
  const view = await server.view({ agentId: options.agent, memberId: options.member, servedId: options.served });
  const attending = options.member === undefined ? undefined : parts.team.health.attend(options.member);
  const writer = new TurnWriter(output);
  const connection = new StdioConnection(server, view, writer);
  const reader = new LineReader({
    line: (text) => connection.receive(text),
    tooLong: () => connection.refuseLongLine(),
  });
  for (const line of options.greeted?.heard ?? []) connection.hear(line);
  for (const line of options.greeted?.waiting ?? []) connection.receive(line);
  if (options.greeted) reader.push(options.greeted.rest);
  const greeting = setTimeout(() => void tellGreeting().catch(() => {}), greetingMs).unref();
  async function tellGreeting(): Promise<void> {
    const tell = options.beforeGreeting?.();
    const now = await greetingOf(server, view);
    // Another process may have changed the list in the moment between.
    if (options.greeted && options.greeted.greeting.tools !== now.tools)
      writer.writeOnce(notificationText('notifications/tools/list_changed'));
    tell?.(now);
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
      // An input that stays open must not keep the process from ending.
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
    // Whoever greeted the client may have read all of it.
    if (input.readableEnded) reader.end();
    if (signal?.aborted || input.readableEnded || input.destroyed) stop();
    else signal?.addEventListener('abort', stop, { once: true });
    // Whoever greeted the client paused its input, and a listener alone does not resume it.
    throttle();
  });
  clearTimeout(greeting);
  await connection.close(signal?.aborted ?? false);
  await writer.flush(signal?.aborted ? lastWordsMs : undefined);
  server.close();
  await attending?.close();
}

/** More than this is not held back until the turn ends, so that a full output is noticed in time. */
const maxHeld = 64 * 1024;

/** Joins the lines that are ready at the same moment into one write, before the event loop does anything else. */
class TurnWriter {
  readonly #output: Writable;
  #lines: string[] = [];
  #held = 0;
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

  /** The reader of the output is slower than we are. */
  get isFull(): boolean {
    return this.#output.writableNeedDrain;
  }

  write(line: string): void {
    if (this.#isBroken) return;
    this.#held += line.length;
    if (this.#lines.push(line) === 1) process.nextTick(() => this.#send());
    if (this.#held > maxHeld) this.#send();
  }

  /** While the output is full the line waits, and is not repeated: what nobody reads must not fill the memory. */
  writeOnce(line: string): void {
    if (!this.isFull) this.write(line);
    else if (!this.#isBroken) this.#later.add(line);
  }

  /** Resolves when everything is with the operating system, or cannot get there, or the time is over. */
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
    this.#held = 0;
    return text;
  }
}
