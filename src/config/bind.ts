export interface Bind {
  host: string;
  port: number;
}

/** Parses `HOST:PORT`, `[::1]:PORT`, `:PORT` or a port. Returns undefined for anything else. */
export function parseBind(text: string): Bind | undefined {
  const match = /^(?:(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]*):)?(\d{1,5})$/.exec(text.trim());
  const port = Number(match?.[2]);
  if (!match || port > 65_535) return undefined;
  const host = match[1] ? match[1].replace(/^\[|\]$/g, '') : '127.0.0.1';
  return { host, port };
}

export function formatBind({ host, port }: Bind): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
