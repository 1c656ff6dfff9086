import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import { HubError } from '../base/hub-error.ts';
import type { Logger } from '../base/logger.ts';
import type { NoticeLineEvents } from './notice-line.ts';
import { type ConnectionEvents, type LineConnection, ReconnectingLine } from './reconnecting-line.ts';

const subject = 'agent_zoo.changed';
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
export class NatsLine extends ReconnectingLine<NatsConnection> {
  readonly way = 'nats';
  readonly #options: NatsLineOptions;

  constructor(options: NatsLineOptions) {
    const deafWords = `Notices sent to the NATS server ${options.url.host} do not come back.`;
    super(options, { firstProofMs: 0, nextProofMs, proofMs, deafWords });
    this.#options = options;
  }

  async send(notice: string): Promise<void> {
    this.opened().publish(subject, `${this.#options.scope()} ${notice}`);
  }

  protected connect(_address: number, { onNotice, onOwnNotice, onLost }: ConnectionEvents): NatsConnection {
    return new NatsConnection(this.#options.url, {
      onNotice: (text) => {
        const scope = `${this.#options.scope()} `;
        if (text.startsWith(scope)) onNotice(text.slice(scope.length));
      },
      onOwnNotice,
      onLost,
      // The next connection may work before anybody sees the problem.
      onMalformed: (why) => {
        if (why !== this.problem) this.#options.logger.warn({}, why);
      },
    });
  }
}

interface NatsConnectionEvents extends ConnectionEvents {
  onMalformed(why: string): void;
}

class NatsConnection implements LineConnection {
  readonly opened: Promise<void>;
  readonly #url: URL;
  readonly #events: NatsConnectionEvents;
  readonly #ownSubject = `agent_zoo.own.${crypto.randomUUID()}`;
  #socket: Socket;
  #lastError = '';

  constructor(url: URL, events: NatsConnectionEvents) {
    this.#url = url;
    this.#events = events;
    this.#socket = connectPlain(Number(url.port || 4222), url.hostname.replace(/^\[|\]$/g, ''));
    this.opened = this.#open().catch((error: unknown) => {
      throw new Error(this.#describe(error), { cause: error });
    });
  }

  publish(to: string, text: string): void {
    this.#socket.write(`PUB ${to} ${Buffer.byteLength(text)}\r\n${text}\r\n`);
  }

  async sendToSelf(notice: string): Promise<void> {
    this.publish(this.#ownSubject, notice);
  }

  async end(): Promise<void> {
    const socket = this.#socket;
    if (socket.connecting) socket.destroy();
    if (socket.closed) return;
    const closed = new Promise((resolve) => {
      socket.once('close', resolve);
    });
    socket.setTimeout(proofMs, () => socket.destroy());
    socket.end();
    await closed;
  }

  abandon(): void {
    this.#socket.destroy();
  }

  async #open(): Promise<void> {
    const plain = this.#socket;
    const info = await greet(plain);
    if (this.#url.protocol === 'tls:' || info.tls_required === true) this.#socket = await encrypt(plain, this.#url);
    plain.setTimeout(0);
    const socket = this.#socket;
    const read = readNats({
      onLine: (line, payload) => this.#receive(line, payload),
      onFault: (error) => this.#events.onLost(this.#describe(error)),
    });
    socket.on('data', read);
    socket.on('close', () => {
      this.#events.onLost(`The NATS server ${this.#url.host} closed the connection. ${this.#lastError}`.trim());
    });
    socket.write(`${connectText(this.#url)}\r\nSUB ${subject} 1\r\nSUB ${this.#ownSubject} 2\r\n`);
  }

  #receive(line: string, payload: string): void {
    if (/^PING/i.test(line)) this.#socket.write('PONG\r\n');
    else if (/^-ERR/i.test(line)) this.#lastError = line.slice(5).replaceAll("'", '').slice(0, 200);
    else if (/^MSG/i.test(line)) {
      if (line.split(' ')[1] === this.#ownSubject) this.#events.onOwnNotice(payload);
      else this.#events.onNotice(payload);
    }
  }

  #describe(error: unknown): string {
    const { host } = this.#url;
    if (!(error instanceof MalformedInput)) return `The NATS server ${host} cannot be reached${codeOf(error)}.`;
    const why = `The NATS server ${host} sent malformed input: ${error.message}`;
    this.#events.onMalformed(why);
    return why;
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

/** Waits for the server's first line, which says whether the connection must be encrypted. */
async function greet(plain: Socket): Promise<{ tls_required?: unknown }> {
  plain.on('error', () => {});
  plain.setTimeout(connectMs, () => plain.destroy(new Error('The NATS server does not reply.')));
  return new Promise((resolve, reject) => {
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
