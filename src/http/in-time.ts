import { HubError } from '../base/hub-error.ts';

/** For a request as a whole, where nothing it calls has a limit of its own. Each wait for the database is far shorter. */
const requestMs = 30_000;

/** The reply, or UNAVAILABLE when there is none in time. What is under way then goes on, which the error says of a write. */
export async function inTime<T>(
  reply: T | Promise<T>,
  request: { method: string; path: string },
  limitMs = requestMs,
): Promise<T> {
  if (!(reply instanceof Promise)) return reply;
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(tooLate(request, limitMs)), limitMs);
  try {
    return await Promise.race([reply, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

function tooLate({ method, path }: { method: string; path: string }, limitMs: number): HubError {
  const mayHaveRun = method !== 'GET' && method !== 'HEAD';
  const advice = mayHaveRun ? 'It may still be carried out: look before you try again.' : 'Try again later.';
  const message = `${method} ${path.slice(0, 200)} was not done within ${limitMs / 1000} s. ${advice}`;
  return new HubError('UNAVAILABLE', message, { details: { mayHaveRun } });
}
