import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';

/** Finds out whether a process hears what it sends to itself. */
export class OwnNotice {
  #heardText = '';
  #onHeard = () => {};

  /** Call it for each notice that this process sent to itself. */
  heard(text: string): void {
    this.#heardText = text;
    this.#onHeard();
  }

  /** Resolves to whether the notice came back in time. Rejects if it could not be sent. */
  async comesBack(send: (text: string) => Promise<unknown>, limitMs: number): Promise<boolean> {
    const text = crypto.randomUUID();
    const late = new AbortController();
    const heard = new Promise<void>((resolve) => {
      this.#onHeard = resolve;
    });
    try {
      await send(text);
      if (this.#heardText !== text)
        await Promise.race([heard, pause(limitMs, undefined, { signal: late.signal, ref: false }).catch(() => {})]);
      // After a pause of the whole process, timers come before what has arrived.
      for (let turn = 0; turn < 3 && this.#heardText !== text; turn += 1) await nextTurn();
      return this.#heardText === text;
    } finally {
      late.abort();
    }
  }
}
