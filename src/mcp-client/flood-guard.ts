import type { LogLines } from './log-lines.ts';
import type { Received } from './message-tap.ts';

/** So much that is no message, with no message in between, and the server is given up. */
const maxGarbageBytes = 4 * 1024 * 1024;
const maxGarbageLines = 10_000;
/** Messages that answer nothing, in one second. */
const maxUnasked = 10_000;

/** Gives up a server that keeps us busy with what nobody asked for, so that it cannot slow the others. */
export class FloodGuard {
  readonly #log: LogLines;
  readonly #onFlood: (reason: string) => void;
  #garbageBytes = 0;
  #garbageLines = 0;
  #unasked = 0;
  #second = 0;

  constructor(log: LogLines, onFlood: (reason: string) => void) {
    this.#log = log;
    this.#onFlood = onFlood;
  }

  count(received: Received, text: string): void {
    if (received === 'garbage') {
      this.#countGarbage(text);
      return;
    }
    this.#garbageBytes = 0;
    this.#garbageLines = 0;
    if (received === 'answer') return;
    const second = Math.floor(performance.now() / 1_000);
    if (second !== this.#second) {
      this.#second = second;
      this.#unasked = 0;
    }
    this.#unasked += 1;
    if (this.#unasked === maxUnasked)
      this.#onFlood(`It sent ${maxUnasked} messages in a second that nobody asked for.`);
  }

  #countGarbage(text: string): void {
    if (text.trim() === '') return;
    this.#garbageBytes += text.length;
    this.#garbageLines += 1;
    this.#log('stdout', text.slice(0, 500));
    if (this.#garbageBytes > maxGarbageBytes || this.#garbageLines > maxGarbageLines)
      this.#onFlood('It writes what is no MCP message, and nothing else.');
  }
}
