/** An AbortController that costs nothing until its signal is used. */
export class LazyAbort {
  #controller: AbortController | undefined;
  #isAborted = false;

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#isAborted) this.#controller.abort();
    return this.#controller.signal;
  }

  get isAborted(): boolean {
    return this.#isAborted;
  }

  abort(): void {
    this.#isAborted = true;
    this.#controller?.abort();
  }
}

/**
 * Resolves with the work's result, or rejects with the signal's reason as soon as it is aborted, even if the work ignores the signal.
 * The work may continue; its result or error is then dropped.
 */
export function untilAborted<T>(signal: AbortSignal, work: () => T | PromiseLike<T>): Promise<T> {
  if (signal.aborted) return Promise.reject(signal.reason);
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    const end = () => signal.removeEventListener('abort', abort);
    void Promise.try(work).then(resolve, reject).then(end);
  });
}
