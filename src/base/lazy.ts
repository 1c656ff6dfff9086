/** What is loaded with the first question to it, and once. A load that failed is tried again with the next question. */
export interface Loading<T> {
  (): Promise<T>;
  /** Undefined until somebody asked. */
  readonly begun: Promise<T> | undefined;
}

/** Methods of something that is loaded later: all of them return promises. */
export type Lazy<T> = {
  readonly [K in keyof T]: T[K] extends (...values: never[]) => Promise<unknown>
    ? T[K]
    : T[K] extends (...values: infer V) => infer R
      ? (...values: V) => Promise<R>
      : never;
};

export function once<T>(load: () => Promise<T>): Loading<T> {
  let begun: Promise<T> | undefined;
  const ask = () => {
    begun ??= load().catch((error: unknown) => {
      begun = undefined;
      throw error;
    });
    return begun;
  };
  return Object.defineProperty(ask, 'begun', { get: () => begun }) as Loading<T>;
}

type Load<T> = (() => Promise<T>) & Partial<Pick<Loading<T>, 'begun'>>;

/**
 * Returns the methods of what `load` brings, each of which loads it first; `close` closes only what was loaded. `own` has those that
 * must not wait.
 */
export function lazy<T extends object, O extends object>(load: Load<T>, own: O): Omit<Lazy<T>, keyof O> & O;
export function lazy<T extends object>(load: Load<T>): Lazy<T>;
export function lazy(load: Load<Record<string | symbol, (...values: unknown[]) => unknown>>, own = {}) {
  const methods: Record<string | symbol, unknown> = { ...own };
  return new Proxy(methods, {
    get(_, name) {
      // An awaited object is asked for `then`; this one is no promise.
      if (name === 'then') return undefined;
      const loaded = () => (name === 'close' ? load.begun : load());
      methods[name] ??= async (...values: unknown[]) => (await loaded())?.[name]?.(...values);
      return methods[name];
    },
  });
}
