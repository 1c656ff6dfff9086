/**
 * The work's result, or a rejection with the signal's reason as soon as it is aborted, even when the work does not listen.
 * Work that goes on is left to itself: what it still does or throws is heard by nobody.
 */
export function untilAborted<T>(signal: AbortSignal, work: () => T | Promise<T>): Promise<T> {
  if (signal.aborted) return Promise.reject(signal.reason);
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    const end = () => signal.removeEventListener('abort', abort);
    void Promise.try(work).then(resolve, reject).then(end);
  });
}
