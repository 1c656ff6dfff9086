import { isReachable } from '../base/door-settings.ts';
import type { Config } from './config.ts';

/** Proxies check every few seconds whether a replica is ready. */
const behindProxySeconds = 5;

/**
 * Returns how long a hub that was told to stop still serves, while `/ready` sends new requests to other replicas. Without a proxy in
 * front of it, there is nobody to tell.
 */
export function drainSeconds({ public_url: publicUrl, drain_seconds }: Config['server'], host: string): number {
  return drain_seconds ?? (isReachable(host, { publicUrl }) ? behindProxySeconds : 0);
}
