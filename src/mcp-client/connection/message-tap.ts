import type { LogLines } from '../process/server-output.ts';

export type JsonMessage = { [key: string]: unknown };

/** Sees each message of a server before the SDK does. */
export interface MessageTap {
  readonly maxOutputBytes: number;
  /**
   * Returns true if the message was for the tap, and `stray` if it replies to a request that nobody waits for. `call` is the request
   * whose reply stream carried the message, if known.
   */
  take(message: JsonMessage, call: number | undefined): boolean | 'stray';
  /** Rejects the call with this id because its result exceeds the limit. Returns whether a call was waiting. */
  refuseLarge(id: number, bytes: number): boolean;
}

export interface ReceivedText {
  text: string;
  bytes: number;
  tap: MessageTap;
  call?: number | undefined;
  /** Passes a message that the tap did not take on to the SDK. */
  deliver(message: JsonMessage): void;
}

/** The size of a JSON-RPC response without its result. */
const envelopeBytes = 64;

/** The kind of a received text. An answer is a response that the tap took. */
type Received = 'answer' | 'message' | 'garbage';

/** The kind of a text, and how many of its messages nobody was waiting for. */
export interface ReceivedCount {
  received: Received;
  unasked: number;
}

const garbage: ReceivedCount = { received: 'garbage', unasked: 0 };
const answer: ReceivedCount = { received: 'answer', unasked: 0 };

/** Reads one text from a server as a message or a batch of messages. */
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

/** Returns the id of a response without parsing it, if the id is at the start or the end of the object, where servers write it. */
export function peekId(text: string): number | undefined {
  const head = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,15})\s*,/.exec(text.slice(0, 200));
  if (head) return Number(head[1]);
  const tail = /,\s*"id"\s*:\s*(\d{1,15})\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/.exec(text.slice(-200));
  return tail ? Number(tail[1]) : undefined;
}

/** A server is disconnected after this much output that is not a message, without a message in between. */
const maxGarbageBytes = 4 * 1024 * 1024;
const maxGarbageLines = 10_000;
/** The maximum number of unrequested messages in one second. */
const maxUnrequested = 10_000;
/** The size of unrequested messages: the maximum burst, and the sustained rate per second. */
const maxUnrequestedBytes = 16 * 1024 * 1024;
const sustainedUnrequestedBytes = 4 * 1024 * 1024;

/** Disconnects a server that floods us with unrequested messages, so that it cannot slow down the others. */
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
      this.#unaskedBytes = Math.max(0, this.#unaskedBytes - (second - this.#second) * sustainedUnrequestedBytes);
      this.#second = second;
      this.#unasked = 0;
    }
    this.#unasked += unasked;
    this.#unaskedBytes += text.length;
    if (this.#unasked >= maxUnrequested) this.#onFlood(`It sent ${maxUnrequested} unrequested messages in one second.`);
    else if (this.#unaskedBytes > maxUnrequestedBytes)
      this.#onFlood(`It sent more than ${maxUnrequestedBytes} bytes of unrequested messages in a short time.`);
  }

  #countGarbage(text: string): void {
    this.#garbageBytes += text.length;
    this.#garbageLines += 1;
    if (text.trim() !== '') this.#log('stdout', text.slice(0, 500));
    if (this.#garbageBytes > maxGarbageBytes || this.#garbageLines > maxGarbageLines)
      this.#onFlood('It writes only output that is not MCP.');
    else this.#countUnasked(1, text);
  }
}
