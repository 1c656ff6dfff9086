import { isLoopbackHost } from './address-ranges.ts';
import { HubError } from './hub-error.ts';

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

/** Throws INVALID_CONFIG for an address beyond loopback on which others could read along. */
export function refuseUnencrypted(host: string, { certificate, publicUrl, trustedProxies }: DoorSettings): void {
  if (isLoopbackHost(host) || certificate || (publicUrl !== undefined && trustedProxies.length > 0)) return;
  const what = `Refusing to listen on "${host.slice(0, 80)}": without TLS, keys and conversations could be read on the network.`;
  const how =
    publicUrl === undefined
      ? 'Set cert and key in [server]; or public_url and trusted_proxies, for a proxy with TLS; or bind to 127.0.0.1 and connect from other machines through an SSH tunnel (ssh -L 7331:127.0.0.1:7331 this-machine).'
      : `trusted_proxies is missing in [server]: name the addresses of the proxies that serve ${publicUrl}, or set cert and key.`;
  throw new HubError('INVALID_CONFIG', `${what} ${how}`);
}
