import type { LogLines } from '../process/log-lines.ts';
import type { ReceivedCount } from './message-tap.ts';

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
