import type { Config } from './config.ts';

/** Proxies check every few seconds whether a replica is ready. */
const behindProxySeconds = 5;

/**
 * Returns how long a hub that was told to stop still serves, while `/ready` sends new requests to other replicas. Without a proxy in
 * front of it, there is nobody to tell.
 */
export function drainSeconds(server: Config['server'], host: string): number {
  const isAlone = /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/i.test(host) && server.public_url === undefined;
  return server.drain_seconds ?? (isAlone ? 0 : behindProxySeconds);
}
