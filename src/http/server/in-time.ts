import { requestMs, tooLate } from '../../base/deadlines.ts';

/** The reply, or UNAVAILABLE when there is none in time. What is under way then goes on, which the error says of a write. */
export async function inTime<T>(
  reply: T | Promise<T>,
  { method, path }: { method: string; path: string },
  limitMs = requestMs,
): Promise<T> {
  if (!(reply instanceof Promise)) return reply;
  const late = Promise.withResolvers<never>();
  const mayHaveRun = method !== 'GET' && method !== 'HEAD';
  const error = () => tooLate(`${method} ${path.slice(0, 200)}`, { limitMs, mayHaveRun });
  const timer = setTimeout(() => late.reject(error()), limitMs);
  try {
    return await Promise.race([reply, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
