/**
 * Holds a lock that all pages of this browser share, from when it is free until the returned function is called. At an insecure
 * address, browsers offer no locks, so it is never held.
 */
export function holdLock(
  name: string,
  { mode = 'exclusive', onHeld }: { mode?: LockMode; onHeld?: () => void } = {},
): () => void {
  const { promise: isOver, resolve } = Promise.withResolvers<void>();
  const waiting = new AbortController();
  const hold = () => {
    onHeld?.();
    return isOver;
  };
  // Rejects if the caller gives up before the lock is free.
  if ('locks' in navigator) navigator.locks.request(name, { mode, signal: waiting.signal }, hold).catch(() => {});
  return () => {
    waiting.abort();
    resolve();
  };
}
