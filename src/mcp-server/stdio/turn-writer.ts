import type { Writable } from 'node:stream';

/** More than this is not held back until the turn ends, so that a full output is noticed in time. */
const maxHeld = 64 * 1024;

/** Joins the lines that are ready at the same moment into one write, before the event loop does anything else. */
export class TurnWriter {
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
