/**
 * The server's time as this process knows it, so that all processes on one database share a clock. Counts on with the steady clock of
 * this process, which nobody can set, and is corrected by each reading.
 */
export class ServerClock {
  /** The server's time when `performance.now()` was 0. */
  #origin: number | undefined;

  /** Milliseconds since the epoch; undefined before the first reading. */
  now(): number | undefined {
    return this.#origin === undefined ? undefined : Math.floor(this.#origin + performance.now());
  }

  /** Takes the server's time, which was read at some moment since `askedAt` (`performance.now()`). */
  learn(time: number | undefined, askedAt: number): void {
    if (time === undefined) return;
    const earliest = time - performance.now();
    const latest = time - askedAt;
    // Corrects as little as the reading demands: a slow reply says little about the moment of the reading.
    this.#origin = Math.min(Math.max(this.#origin ?? (earliest + latest) / 2, earliest), latest);
  }
}
