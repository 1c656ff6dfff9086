import { request } from './client.ts';

const patienceMs = 1_500;

/**
 * Loads a part of the app that is needed only now. Without a hub it waits for one, and what is on the screen stays. When
 * a hub is there and the part does not come, it is a newer hub, or the browser remembers that the part failed before:
 * the whole page is loaded anew, but never in a loop.
 */
export function fromHub<T>(load: () => Promise<T>): () => Promise<T> {
  const attempt = async (): Promise<T> => {
    try {
      return await load();
    } catch (error) {
      if (await answers()) {
        if (!mayReload()) throw error;
        window.location.reload();
        return new Promise(() => {});
      }
      do await new Promise((resolve) => setTimeout(resolve, patienceMs));
      while (!(await answers()));
      return attempt();
    }
  };
  return attempt;
}

async function answers(): Promise<boolean> {
  return request('GET /api/status').then(
    () => true,
    () => false,
  );
}

function mayReload(): boolean {
  const last = Number(sessionStorage.getItem('reloaded-at') ?? 0);
  if (Date.now() - last < 10_000) return false;
  sessionStorage.setItem('reloaded-at', String(Date.now()));
  return true;
}
