import { type ComponentType, createElement, type FunctionComponent, use } from 'react';
import { ApiError, request } from './client.ts';
import { checkVersion } from './new-version.ts';

const retryMs = 1_500;

/** A part of the app that the hub did not deliver. Only the user decides to reload the page. */
export class LoadError extends Error {
  override readonly name = 'LoadError';
  /** Forgets the failure, so that the next render loads the part again. */
  readonly retry: () => void;

  constructor(cause: unknown, retry: () => void) {
    super('This part of the app could not be loaded. Try again, or reload the page: what you typed is kept.', {
      cause,
    });
    this.retry = retry;
  }
}

let isStarted = false;

/**
 * Wraps a lazy import. While the hub is unreachable, it waits and the screen stays. It asks the hub before it imports, because
 * browsers remember a failed import until the page is reloaded. The first screen comes with the page and does not ask.
 */
export function fromHub<T>(load: () => Promise<T>): () => Promise<T> {
  return async () => {
    while (isStarted && !(await isHubReachable())) await new Promise((resolve) => setTimeout(resolve, retryMs));
    try {
      return await load();
    } catch (error) {
      // A newer hub has other files, and this page has to be reloaded to use them.
      await checkVersion();
      throw error;
    } finally {
      isStarted = true;
    }
  };
}

/**
 * A component that is loaded when it is needed. A failed load is thrown as a LoadError, until its `retry`. The router calls
 * `preload`, which never fails: the component is loaded again when it is rendered.
 */
export function lazyPart<Name extends string, Props extends object>(
  load: () => Promise<{ [name in Name]: ComponentType<Props> }>,
  name: Name,
): FunctionComponent<Props> & { preload: () => Promise<void> } {
  let loaded: ComponentType<Props> | undefined;
  let loading: Promise<ComponentType<Props>> | undefined;
  const forget = () => {
    loading = undefined;
  };
  const start = async () => {
    try {
      loaded = (await load())[name];
      return loaded;
    } catch (error) {
      throw new LoadError(error, forget);
    }
  };
  const begin = () => {
    loading ??= start();
    return loading;
  };
  const LazyPart = (props: Props) => createElement(loaded ?? use(begin()), props);
  return Object.assign(LazyPart, { preload: () => begin().then(() => {}, forget) });
}

/** Sends a request that needs neither the database nor a sign-in: a hub that is read-only or refuses this browser still delivers its files. */
async function isHubReachable(): Promise<boolean> {
  return request('GET /health').then(
    () => true,
    (error: unknown) => error instanceof ApiError && error.status >= 400 && error.status < 500,
  );
}
