/** One write at a time on a connection, in the order of asking. */
export class WriteQueue {
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  get isFree(): boolean {
    return this.#waiting === 0;
  }

  run<T>(work: () => Promise<T>): Promise<T> {
    this.#waiting += 1;
    const result = this.#last.then(work).finally(() => {
      this.#waiting -= 1;
    });
    this.#last = result.catch(() => {});
    return result;
  }

  /** Resolves when everything asked for until now is done. */
  async drain(): Promise<void> {
    await this.#last;
  }
}
