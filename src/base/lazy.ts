/** Loads something once, on the first call. After a failure, the next call tries again. */
export interface Loading<T> {
  (): Promise<T>;
  /** Undefined until the first call. */
  readonly promise: Promise<T> | undefined;
}

/** The methods of an object that is loaded later: all of them return promises. */
export type Lazy<T> = {
  readonly [K in keyof T]: T[K] extends (...values: never[]) => Promise<unknown>
    ? T[K]
    : T[K] extends (...values: infer V) => infer R
      ? (...values: V) => Promise<R>
      : never;
};

export function once<T>(load: () => Promise<T>): Loading<T> {
  let promise: Promise<T> | undefined;
  const ask = () => {
    promise ??= load().catch((error: unknown) => {
      promise = undefined;
      throw error;
    });
    return promise;
  };
  return Object.defineProperty(ask, 'promise', { get: () => promise }) as Loading<T>;
}

type Load<T> = (() => Promise<T>) & Partial<Pick<Loading<T>, 'promise'>>;

/**
 * Returns the methods of the object that `load` returns. Each method loads the object first, except `close`, which does nothing
 * if the object was never loaded. The methods in `extras` run without loading it.
 */
export function lazy<T extends object, O extends object>(load: Load<T>, extras: O): Omit<Lazy<T>, keyof O> & O;
export function lazy<T extends object>(load: Load<T>): Lazy<T>;
export function lazy(load: Load<Record<string | symbol, (...values: unknown[]) => unknown>>, extras = {}) {
  const methods: Record<string | symbol, unknown> = { ...extras };
  return new Proxy(methods, {
    get(_, name) {
      // `await` looks for `then`, but this object is not a promise.
      if (name === 'then') return undefined;
      const loaded = () => (name === 'close' ? load.promise : load());
      methods[name] ??= async (...values: unknown[]) => (await loaded())?.[name]?.(...values);
      return methods[name];
    },
  });
}
