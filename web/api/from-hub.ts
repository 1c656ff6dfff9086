import { ApiError, request } from './client.ts';

const retryMs = 1_500;

/**
 * Wraps a lazy import. While the hub is unreachable, it waits and the screen stays. If the hub replies but the import
 * fails, the hub is newer or the browser cached the failure: it reloads the page, but never in a loop.
 */
export function fromHub<T>(load: () => Promise<T>): () => Promise<T> {
  const attempt = async (): Promise<T> => {
    try {
      return await load();
    } catch (error) {
      if (await isHubReachable()) {
        if (!mayReload()) throw error;
        window.location.reload();
        return new Promise(() => {});
      }
      do await new Promise((resolve) => setTimeout(resolve, retryMs));
      while (!(await isHubReachable()));
      return attempt();
    }
  };
  return attempt;
}

async function isHubReachable(): Promise<boolean> {
  return request('GET /api/session').then(
    () => true,
    // A hub that refuses this browser is reachable.
    (error: unknown) => error instanceof ApiError && error.status >= 400 && error.status < 500,
  );
}

/** Returns false if the page was reloaded a moment ago. */
export function mayReload(): boolean {
  const last = Number(sessionStorage.getItem('reloaded-at') ?? 0);
  if (Date.now() - last < 10_000) return false;
  sessionStorage.setItem('reloaded-at', String(Date.now()));
  return true;
}
