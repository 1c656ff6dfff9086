import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { HubError } from '../../base/hub-error.ts';
import type { ServerDefinition } from '../../servers/server-definition.ts';
import { FloodGuard, type JsonMessage, type MessageTap, receiveText } from '../connection/message-tap.ts';
import {
  endOrphans,
  endProcessTree,
  newTreeMark,
  type ProcessTree,
  treeVariable,
  watchProcessTree,
} from './process-tree.ts';
import { serverEnvironment } from './server-environment.ts';
import { cutLines, LastWords, type LogLines } from './server-output.ts';

export interface StdioTransportOptions {
  name: string;
  definition: Extract<ServerDefinition, { transport: 'stdio' }>;
  tap: MessageTap;
  log: LogLines;
  /** Masks secrets in the server's output. */
  mask(text: string): string;
  /** Called when the process has ended or exceeded a limit. `head` is the beginning of a message that was too large. */
  onLost(reason: string, head?: string): void;
}

const maxStderrLine = 8_192;
/** How long to wait for the last output of a process that has ended. */
const drainMs = 200;
const reapMs = 2_000;
/** A server that leaves more input unread is disconnected. */
const maxUnread = 128 * 1024 * 1024;
/** The maximum number of stderr bytes per second; a server that writes more is slowed down. */
const maxErrorBytes = 1024 * 1024;
const sent = Promise.resolve();

/** Runs a server as a child process with its own process group. Messages are lines; size limits apply while bytes arrive. */
export class StdioTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: (<T extends JSONRPCMessage>(message: T) => void) | undefined;
  readonly #options: StdioTransportOptions;
  readonly #guard: FloodGuard;
  readonly #lastWords = new LastWords();
  #child: ChildProcessWithoutNullStreams | undefined;
  #tree: ProcessTree | undefined;
  #outbox = '';
  #isFlushing = false;
  #isBlocked = false;
  /** Set while the pipe is full; resolves when it drains. */
  #drained: { promise: Promise<void>; resolve(): void } | undefined;
  #isLost = false;
  #ending: Promise<void> | undefined;

  constructor(options: StdioTransportOptions) {
    this.#options = options;
    this.#guard = new FloodGuard(options.log, (reason) => this.#lose(reason));
  }

  async start(): Promise<void> {
    const { name, definition } = this.#options;
    if (definition.cwd !== undefined) await checkFolder(name, definition.cwd);
    if (this.#isLost) throw new Error('The transport was closed before it started.');
    endOrphans();
    const mark = newTreeMark();
    const child = spawn(definition.command, definition.args, {
      cwd: definition.cwd,
      env: { ...serverEnvironment(process.env, definition.env), [treeVariable]: mark },
      stdio: ['pipe', 'pipe', 'pipe'],
      // Its own process group, so that one signal reaches everything that the server starts.
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
    this.#child = child;
    if (child.pid !== undefined) {
      this.#tree = { pid: child.pid, mark, seen: new Map() };
      watchProcessTree(this.#tree);
      this.#listen(child);
    }
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', (error) => reject(cannotStart(name, definition.command, error)));
    });
  }

  /** Sends all lines of one event-loop turn together. Waits while the pipe is full. */
  send(message: JSONRPCMessage | JsonMessage): Promise<void> {
    if (this.#isLost || !this.#child) return Promise.reject(new Error('The process is not running.'));
    this.#outbox += `${onOneLine(JSON.stringify(message))}\n`;
    if (!this.#isFlushing && !this.#isBlocked) {
      this.#isFlushing = true;
      queueMicrotask(this.#flush);
    }
    if (!this.#isBlocked) return sent;
    if (this.#outbox.length + this.#child.stdin.writableLength > maxUnread) this.#lose('It does not read its input.');
    this.#drained ??= Promise.withResolvers<void>();
    return this.#drained.promise;
  }

  close(): Promise<void> {
    this.#isLost = true;
    this.#ending ??= this.#end();
    return this.#ending;
  }

  readonly #flush = (): void => {
    this.#isFlushing = false;
    const text = this.#outbox;
    this.#outbox = '';
    if (text !== '' && this.#child?.stdin.writable && !this.#child.stdin.write(text)) this.#isBlocked = true;
  };

  #listen(child: ChildProcessWithoutNullStreams): void {
    const { definition, log } = this.#options;
    child.stdin.on('drain', () => {
      this.#isBlocked = false;
      this.#flush();
      this.#drained?.resolve();
      this.#drained = undefined;
    });
    // The reader of the pipe is gone; the end of the process explains more.
    child.stdin.on('error', () => {});
    child.on('error', (error) => this.onerror?.(error));
    child.stdout.on(
      'data',
      cutLines({
        maxBytes: definition.maxMessageBytes,
        onLine: (line) => this.#receive(line),
        onTooLong: (head) =>
          this.#lose(
            `It sent a message of more than ${definition.maxMessageBytes} bytes (max_message_bytes).`,
            head.toString(),
          ),
      }),
    );
    const hearErrors = cutLines({
      maxBytes: maxStderrLine,
      onLine: (line) => this.#hearError(line.toString(), log),
      onTooLong: (head) => this.#hearError(head.toString(), log),
    });
    readSlowly(child.stderr, maxErrorBytes, hearErrors);
    child.stdout.on('error', () => {});
    child.stderr.on('error', () => {});
    this.#awaitEnd(child);
  }

  #awaitEnd(child: ChildProcessWithoutNullStreams): void {
    let timer: NodeJS.Timeout | undefined;
    const over = () => {
      clearTimeout(timer);
      this.#lose(this.#howItEnded(child));
    };
    // A process that the server left behind may keep its output open, so the wait for the end of the output is limited.
    const soon = () => {
      timer ??= setTimeout(over, drainMs);
    };
    child.once('exit', soon);
    child.stdout.once('end', soon);
    child.once('close', over);
  }

  #howItEnded(child: ChildProcessWithoutNullStreams): string {
    const how =
      child.signalCode !== null
        ? `Its process was killed by ${child.signalCode}`
        : child.exitCode !== null
          ? `Its process exited with code ${child.exitCode}`
          : 'It closed its output';
    const last = this.#lastWords.summarize(this.#options.mask);
    return last === '' ? `${how}.` : `${how}. It wrote: ${last}`;
  }

  #hearError(text: string, log: LogLines): void {
    const line = text.trimEnd();
    if (line === '') return;
    log('stderr', line);
    this.#lastWords.add(line);
  }

  #receive(line: Buffer): void {
    if (this.#isLost) return;
    const text = line.toString();
    const count = receiveText({ text, bytes: line.length, tap: this.#options.tap, deliver: this.#deliver });
    this.#guard.count(count, text);
  }

  // The SDK checks each message against its schema before it uses it.
  readonly #deliver = (message: JsonMessage): void => this.onmessage?.(message as JSONRPCMessage);

  #lose(reason: string, head?: string): void {
    if (this.#isLost) return;
    this.#isLost = true;
    // Stop reading: a server that writes endlessly must not keep us busy while it is being ended.
    this.#child?.stdout.destroy();
    this.#options.onLost(reason, head);
  }

  async #end(): Promise<void> {
    const child = this.#child;
    this.#outbox = '';
    if (child && this.#tree) {
      await endProcessTree(this.#tree, () => child.stdin.end());
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
      // Node learns of the exit a little later than the system.
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit', reapMs);
    }
    this.onclose?.();
  }
}

/** Limits the bytes read per second: a process that writes endlessly has to wait, and does not delay the others. */
function readSlowly(stream: Readable, bytesPerSecond: number, onChunk: (chunk: Buffer) => void): void {
  let left = bytesPerSecond;
  let timer: NodeJS.Timeout | undefined;
  stream.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left <= 0) stream.pause();
    timer ??= setTimeout(() => {
      timer = undefined;
      left = bytesPerSecond;
      stream.resume();
    }, 1_000).unref();
    onChunk(chunk);
  });
  stream.once('close', () => clearTimeout(timer));
}

/** Escapes two characters that Node's readline treats as line ends. */
function onOneLine(json: string): string {
  return /[\u2028\u2029]/.test(json) ? json.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029') : json;
}

/** Waits for an event, but no longer than the limit. */
function once(child: ChildProcessWithoutNullStreams, event: string, limitMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, limitMs);
    child.once(event, () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

async function checkFolder(name: string, cwd: string): Promise<void> {
  const stats = await stat(cwd).catch(() => undefined);
  if (stats?.isDirectory()) return;
  throw new HubError(
    'UNAVAILABLE',
    `Server "${name}" cannot be started: its working directory (cwd) "${cwd}" ${stats ? 'is not a folder' : 'does not exist'}.`,
    { details: { mayHaveRun: false, retryable: false } },
  );
}

function cannotStart(name: string, command: string, error: NodeJS.ErrnoException): HubError {
  const why =
    error.code === 'ENOENT'
      ? `the command "${command}" was not found. Install it, give its full path, or add its folder to PATH in env${
          process.platform === 'win32' ? '; scripts such as npx need command "cmd" with args "/c", "npx"' : ''
        }.`
      : error.code === 'EACCES'
        ? `"${command}" is not executable.`
        : `${error.message}.`;
  const isMisconfigured = error.code === 'ENOENT' || error.code === 'EACCES';
  return new HubError('UNAVAILABLE', `Server "${name}" cannot be started: ${why}`, {
    cause: error,
    details: { mayHaveRun: false, ...(isMisconfigured && { retryable: false }) },
  });
}
