import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import { HubError } from '../base/hub-error.ts';
import type { Logger } from '../base/logger.ts';
import type { NoticeLine, NoticeLineEvents } from './notice-line.ts';
import { OwnNotice } from './own-notice.ts';

const subject = 'agent_zoo.changed';
const firstDelayMs = 100;
const maxDelayMs = 10_000;
const proofMs = 2_000;
const nextProofMs = 5_000;
const connectMs = 5_000;
/** The greeting of a server names all servers of its cluster. */
const maxLineBytes = 64 * 1_024;
/** Notices have less than 8,000 bytes. */
const maxPayloadBytes = 16 * 1_024;

export interface NatsLineOptions extends NoticeLineEvents {
  url: URL;
  logger: Logger;
  /** Identifies the database: several may share a NATS server. */
  scope(): string;
}

/**
 * Carries notices over NATS, whose protocol is a few lines of text: https://docs.nats.io/reference/reference-protocols/nats-protocol.
 * A notice may be lost while the line is down, so no acknowledgement is needed.
 */
export class NatsLine implements NoticeLine {
  readonly way = 'nats';
  readonly #options: NatsLineOptions;
  readonly #ownSubject = `agent_zoo.own.${crypto.randomUUID()}`;
  readonly #ownNotice = new OwnNotice();
  #socket: Socket | undefined;
  #timer: NodeJS.Timeout | undefined;
  #opening: Promise<void> | undefined;
  #proving: Promise<void> | undefined;
  #failures = 0;
  #isProven = false;
  #problem: string | undefined;
  #isClosed = false;

  constructor(options: NatsLineOptions) {
    this.#options = options;
  }

  get isProven(): boolean {
    return this.#isProven;
  }

  get problem(): string | undefined {
    return this.#problem;
  }

  open(): Promise<void> {
    this.#opening ??= this.#openOnce().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async #openOnce(): Promise<void> {
    const { host } = this.#options.url;
    clearTimeout(this.#timer);
    try {
      const socket = await this.#greet(this.#options.url);
      if (this.#isClosed) return void socket.destroy();
      this.#socket = socket;
      let lastError = '';
      const read = readNats({
        onLine: (line, payload) => {
          if (/^PING/i.test(line)) socket.write('PONG\r\n');
          else if (/^MSG/i.test(line)) this.#receive(line.split(' ')[1] ?? '', payload);
          else if (/^-ERR/i.test(line)) lastError = line.slice(5).replaceAll("'", '').slice(0, 200);
        },
        onFault: (error) => this.#lose(socket, this.#warnOf(error)),
      });
      socket.on('data', read);
      socket.on('close', () =>
        this.#lose(socket, `The NATS server ${host} closed the connection. ${lastError}`.trim()),
      );
      socket.write(`${connectText(this.#options.url)}\r\nSUB ${subject} 1\r\nSUB ${this.#ownSubject} 2\r\n`);
      const closed = new Promise((resolve) => {
        socket.once('close', resolve);
      });
      // The next attempt must not have to wait for a proof that cannot come anymore.
      await Promise.race([this.#proveOnce(socket), closed]);
    } catch (error) {
      const isMalformed = error instanceof MalformedInput;
      this.#lose(
        undefined,
        isMalformed ? this.#warnOf(error) : `The NATS server ${host} cannot be reached${codeOf(error)}.`,
      );
    }
  }

  prove(): Promise<void> {
    const socket = this.#socket;
    if (!socket || this.#opening !== undefined) return this.open();
    this.#proving ??= this.#proveOnce(socket).finally(() => {
      this.#proving = undefined;
    });
    return this.#proving;
  }

  async send(notice: string): Promise<void> {
    this.#publish(subject, `${this.#options.scope()} ${notice}`);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    const socket = this.#socket;
    if (!socket) return;
    const closed = new Promise((resolve) => {
      socket.once('close', resolve);
    });
    socket.setTimeout(proofMs, () => socket.destroy());
    socket.end();
    await closed;
  }

  /** Connects and waits for the server's first line, which says whether the connection must be encrypted. */
  async #greet(url: URL): Promise<Socket> {
    const plain = connectPlain(Number(url.port || 4222), url.hostname.replace(/^\[|\]$/g, ''));
    plain.on('error', () => {});
    plain.setTimeout(connectMs, () => plain.destroy(new Error('The NATS server does not reply.')));
    try {
      const info = await new Promise<{ tls_required?: unknown }>((resolve, reject) => {
        rejectAtEnd(plain, reject);
        const read = readNats({
          onLine: (line) => {
            plain.off('data', read);
            resolve(parseInfo(line));
          },
          onFault: reject,
        });
        plain.on('data', read);
      });
      const socket = url.protocol === 'tls:' || info.tls_required === true ? await encrypt(plain, url) : plain;
      plain.setTimeout(0);
      return socket;
    } catch (error) {
      plain.destroy();
      throw error;
    }
  }

  async #proveOnce(socket: Socket): Promise<void> {
    const send = async (notice: string) => this.#publish(this.#ownSubject, notice);
    const isHeard = await this.#ownNotice.comesBack(send, proofMs).catch(() => false);
    if (socket !== this.#socket || this.#isClosed) return;
    if (!isHeard)
      return this.#lose(socket, `Notices sent to the NATS server ${this.#options.url.host} do not come back.`);
    // A connection that is lost right after its first proof was no success.
    if (this.#isProven) this.#failures = 0;
    this.#become(true, undefined);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.prove(), nextProofMs).unref();
  }

  #receive(from: string, payload: string): void {
    const scope = `${this.#options.scope()} `;
    if (from === this.#ownSubject) this.#ownNotice.heard(payload);
    else if (payload.startsWith(scope)) this.#options.onNotice(payload.slice(scope.length));
  }

  #publish(to: string, text: string): void {
    if (!this.#socket) throw new Error('The connection to the NATS server is lost.');
    this.#socket.write(`PUB ${to} ${Buffer.byteLength(text)}\r\n${text}\r\n`);
  }

  #lose(socket: Socket | undefined, why: string): void {
    if (this.#socket !== socket) return;
    this.#socket = undefined;
    socket?.destroy();
    if (this.#isClosed) return;
    const delayMs = Math.min(firstDelayMs * 2 ** this.#failures, maxDelayMs);
    this.#failures += 1;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.open(), delayMs).unref();
    this.#become(false, why);
  }

  /** Logs why a connection is closed, because the next one may work before anybody sees the problem. */
  #warnOf(error: unknown): string {
    const reason = error instanceof MalformedInput ? error.message : String(error);
    const why = `The NATS server ${this.#options.url.host} sent malformed input: ${reason}`;
    if (why !== this.#problem) this.#options.logger.warn({}, why);
    return why;
  }

  #become(isProven: boolean, problem: string | undefined): void {
    if (this.#isProven === isProven && this.#problem === problem) return;
    this.#isProven = isProven;
    this.#problem = problem;
    this.#options.onChange();
  }
}

/** Throws INVALID_CONFIG without repeating the URL, which may contain a password. */
export function parseNatsUrl(url: string): URL {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed && /^(?:nats|tls):$/.test(parsed.protocol) && parsed.hostname !== '') return parsed;
  throw new HubError('INVALID_CONFIG', '[db] bus_url is not a NATS URL. Set it to nats://USER:PASSWORD@HOST:PORT.');
}

function connectText({ username, password, protocol }: URL): string {
  const [name, secret] = [decodeURIComponent(username), decodeURIComponent(password)];
  const credentials = secret ? { user: name, pass: secret } : name ? { auth_token: name } : {};
  const options = {
    verbose: false,
    pedantic: false,
    tls_required: protocol === 'tls:',
    lang: 'node',
    name: 'agent-zoo',
  };
  return `CONNECT ${JSON.stringify({ ...options, version: '1', protocol: 1, ...credentials })}`;
}

class MalformedInput extends Error {}

interface NatsReader {
  onLine(line: string, payload: string): void;
  /** Called for malformed input, and for what `onLine` throws. */
  onFault(error: unknown): void;
}

/** Splits what arrives into lines. The line of a message ends with the length of the payload that follows it. */
function readNats({ onLine, onFault }: NatsReader): (bytes: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  const readLines = () => {
    for (;;) {
      const end = rest.indexOf('\r\n');
      if (Math.max(end, end === -1 ? rest.length : 0) > maxLineBytes)
        throw new MalformedInput(`a line of more than ${maxLineBytes} bytes.`);
      if (end === -1) return;
      const line = rest.toString('utf8', 0, end);
      const length = payloadBytesOf(line);
      if (rest.length < end + 2 + length) return;
      const payload = length === 0 ? '' : rest.toString('utf8', end + 2, end + length);
      rest = rest.subarray(end + 2 + length);
      onLine(line, payload);
    }
  };
  return (bytes) => {
    rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    try {
      readLines();
    } catch (error) {
      onFault(error);
    }
  };
}

/** Returns how many bytes follow a line, with the end of the payload. */
function payloadBytesOf(line: string): number {
  if (/^(?:INFO|PING|PONG|\+OK|-ERR)\b/i.test(line)) return 0;
  const length = Number(/^MSG(?: \S+){2,3} (\d{1,9})$/i.exec(line)?.[1] ?? Number.NaN);
  if (Number.isNaN(length)) throw new MalformedInput('a line that is not part of the NATS protocol.');
  if (length > maxPayloadBytes) throw new MalformedInput(`a message of more than ${maxPayloadBytes} bytes.`);
  return length + 2;
}

function parseInfo(line: string): { tls_required?: unknown } {
  try {
    const info: unknown = JSON.parse(/^INFO (.*)$/i.exec(line)?.[1] ?? '');
    if (typeof info === 'object' && info !== null) return info;
  } catch {
    // Described below.
  }
  throw new MalformedInput('the first line is not the INFO of a NATS server.');
}

async function encrypt(plain: Socket, url: URL): Promise<Socket> {
  const secure = connectSecurely({ socket: plain, servername: url.hostname });
  secure.on('error', () => {});
  await new Promise<void>((resolve, reject) => {
    secure.once('secureConnect', resolve);
    rejectAtEnd(secure, reject);
  });
  return secure;
}

function rejectAtEnd(socket: Socket, reject: (error: Error) => void): void {
  socket.once('error', reject);
  socket.once('close', () => reject(new Error('The NATS server closed the connection.')));
}

function codeOf(error: unknown): string {
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
}
