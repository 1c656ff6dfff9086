import type { LogLines } from '../process/server-output.ts';

export type JsonMessage = { [key: string]: unknown };

/** Sees each message of a server before the SDK does. */
export interface MessageTap {
  readonly maxOutputBytes: number;
  /**
   * True when the message was meant for the tap, `stray` when it answers what nobody waits for. `call` is the request in
   * whose answer it came, where that is known.
   */
  take(message: JsonMessage, call: number | undefined): boolean | 'stray';
  /** A result that is over the limit; it is not even parsed. True when a call waited for it. */
  refuseLarge(id: number, bytes: number): boolean;
}

export interface ReceivedText {
  text: string;
  bytes: number;
  tap: MessageTap;
  call?: number | undefined;
  /** What the tap left for the SDK. */
  deliver(message: JsonMessage): void;
}

/** Bytes of a JSON-RPC response around its result. */
const envelopeBytes = 64;

/** What a text was. An answer is one that the tap took. */
type Received = 'answer' | 'message' | 'garbage';

/** With how many of its messages nobody waited for. */
export interface ReceivedCount {
  received: Received;
  unasked: number;
}

const garbage: ReceivedCount = { received: 'garbage', unasked: 0 };
const answer: ReceivedCount = { received: 'answer', unasked: 0 };

/** Reads one text of a server as a message, or a batch of them. */
export function receiveText({ text, bytes, tap, call, deliver }: ReceivedText): ReceivedCount {
  if (bytes > tap.maxOutputBytes + envelopeBytes) {
    const id = peekId(text);
    if (id !== undefined && tap.refuseLarge(id, bytes)) return answer;
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return garbage;
  }
  const messages = Array.isArray(value) ? value : [value];
  if (messages.length === 0 || !messages.every(isMessage)) return garbage;
  let received: Received = 'message';
  let unasked = 0;
  for (const message of messages) {
    const taken = tap.take(message, call);
    if (taken === false) deliver(message);
    else if (message.method === undefined) received = 'answer';
    if (taken !== true || message.method !== undefined) unasked += 1;
  }
  return unasked === 0 ? answer : { received, unasked };
}

function isMessage(value: unknown): value is JsonMessage {
  return typeof value === 'object' && value !== null && 'jsonrpc' in value;
}

/** The id of a response, where it stands at one of the places where servers write it: at the start or the end of the object. */
export function peekId(text: string): number | undefined {
  const head = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,15})\s*,/.exec(text.slice(0, 200));
  if (head) return Number(head[1]);
  const tail = /,\s*"id"\s*:\s*(\d{1,15})\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/.exec(text.slice(-200));
  return tail ? Number(tail[1]) : undefined;
}

/** So much that is no message, with no message in between, and the server is given up. */
const maxGarbageBytes = 4 * 1024 * 1024;
const maxGarbageLines = 10_000;
/** Messages that answer nothing, in one second. */
const maxUnasked = 10_000;
/** Bytes of them: a second of so many, and longer no more than so many in each. */
const maxUnaskedBytes = 16 * 1024 * 1024;
const usualUnaskedBytes = 4 * 1024 * 1024;

/** Gives up a server that keeps us busy with what nobody asked for, so that it cannot slow the others. */
export class FloodGuard {
  readonly #log: LogLines;
  readonly #onFlood: (reason: string) => void;
  #garbageBytes = 0;
  #garbageLines = 0;
  #unasked = 0;
  #unaskedBytes = 0;
  #second = 0;

  constructor(log: LogLines, onFlood: (reason: string) => void) {
    this.#log = log;
    this.#onFlood = onFlood;
  }

  count({ received, unasked }: ReceivedCount, text: string): void {
    if (received === 'garbage') {
      this.#countGarbage(text);
      return;
    }
    this.#garbageBytes = 0;
    this.#garbageLines = 0;
    if (unasked > 0) this.#countUnasked(unasked, text);
  }

  #countUnasked(unasked: number, text: string): void {
    const second = Math.floor(performance.now() / 1_000);
    if (second !== this.#second) {
      this.#unaskedBytes = Math.max(0, this.#unaskedBytes - (second - this.#second) * usualUnaskedBytes);
      this.#second = second;
      this.#unasked = 0;
    }
    this.#unasked += unasked;
    this.#unaskedBytes += text.length;
    if (this.#unasked >= maxUnasked) this.#onFlood(`It sent ${maxUnasked} messages in a second that nobody asked for.`);
    else if (this.#unaskedBytes > maxUnaskedBytes)
      this.#onFlood(`It sent more than ${maxUnaskedBytes} bytes in a short time that nobody asked for.`);
  }

  #countGarbage(text: string): void {
    this.#garbageBytes += text.length;
    this.#garbageLines += 1;
    if (text.trim() !== '') this.#log('stdout', text.slice(0, 500));
    if (this.#garbageBytes > maxGarbageBytes || this.#garbageLines > maxGarbageLines)
      this.#onFlood('It writes what is no MCP message, and nothing else.');
    else this.#countUnasked(1, text);
  }
}
