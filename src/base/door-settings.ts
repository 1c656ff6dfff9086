import { isLoopbackHost } from './address-ranges.ts';

/** How a hub is reached. */
export interface DoorSettings {
  /** The paths of PEM files. */
  certificate?: { cert: string; key: string } | undefined;
  /** The address that browsers and clients use: an origin, without a trailing slash. */
  publicUrl?: string | undefined;
  /** The addresses and ranges of the proxies that may connect. */
  trustedProxies: readonly string[];
  /** Requests per second of a caller and from an address, and wrong credentials per minute. 0 turns a limit off. */
  limits: { caller: number; address: number; failure: number };
}

/** Whether others than the users of this machine can reach a hub: through its bind address, or through a proxy. */
export function isReachable(host: string, { publicUrl }: Pick<DoorSettings, 'publicUrl'>): boolean {
  return !isLoopbackHost(host) || publicUrl !== undefined;
}
