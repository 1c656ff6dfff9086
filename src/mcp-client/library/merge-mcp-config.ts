/** A partial config: nested objects are partial too, lists and functions are replaced as a whole, null removes a value. */
export type ConfigOverride<T> = T extends readonly unknown[] | ((...args: never[]) => unknown)
  ? T
  : T extends object
    ? { [K in keyof T]?: ConfigOverride<T[K]> | null | undefined }
    : T;

type Fields = Record<string, unknown>;

/**
 * Merges two configs into a new one. The override wins; `env`, `headers` and `connection` are merged key by key, lists are replaced. If the
 * override changes the kind of connection or `auth`, nothing of the old kind remains. Neither argument is changed.
 */
export function mergeMCPConfig<T extends object>(base: T, override: ConfigOverride<T> = {} as ConfigOverride<T>): T {
  const outdated = new Set(outdatedKeys(base as Fields, override as Fields));
  const remaining = Object.fromEntries(Object.entries(base).filter(([key]) => !outdated.has(key)));
  // Merging two values of T key by key gives a T again.
  return join(remaining, override) as T;
}

/** Returns the keys that make no sense after the override: a token of another kind of `auth`, the URL of a server that becomes a process. */
function outdatedKeys(base: Fields, override: Fields): string[] {
  if (isOtherServer(base.connection, override.connection)) return ['connection', 'transport', 'auth'];
  if (isOtherServer(base, override))
    return ['command', 'args', 'env', 'cwd', 'url', 'headers', 'type', 'transport', 'auth'];
  const { auth } = base;
  const isOtherAuth = isPlain(auth) && isPlain(override.auth) && (override.auth.type ?? auth.type) !== auth.type;
  return isOtherAuth ? ['auth'] : [];
}

function isOtherServer(base: unknown, override: unknown): boolean {
  if (!isPlain(base) || !isPlain(override)) return false;
  return (base.command !== undefined && override.url != null) || (base.url !== undefined && override.command != null);
}

function join(base: unknown, override: unknown): unknown {
  if (override === undefined) return copy(base);
  if (!isPlain(base) || !isPlain(override)) return copy(override);
  const keys = new Set([...Object.keys(base), ...Object.keys(override)]);
  return Object.fromEntries([...keys].map((key) => [key, join(own(base, key), own(override, key))]));
}

function copy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copy);
  if (!isPlain(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, copy(each)]));
}

/** Instances of classes, such as transformers, are passed on unchanged. */
function isPlain(value: unknown): value is Fields {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function own(value: Fields, key: string): unknown {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}
