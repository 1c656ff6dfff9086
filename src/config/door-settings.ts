import type { DoorSettings } from '../base/door-settings.ts';
import { type LoadedConfig, resolvePath } from './load-config.ts';

/** Returns `[server]` as the HTTP server needs it. */
export function doorSettings(loaded: Pick<LoadedConfig, 'config' | 'folder' | 'home'>): DoorSettings {
  const { cert, key, public_url, trusted_proxies, caller_limit, address_limit, failure_limit } = loaded.config.server;
  const path = (file: string) => resolvePath(loaded, file);
  return {
    certificate: cert === undefined || key === undefined ? undefined : { cert: path(cert), key: path(key) },
    publicUrl: public_url === undefined ? undefined : new URL(public_url).origin,
    trustedProxies: trusted_proxies,
    limits: { caller: caller_limit, address: address_limit, failure: failure_limit },
  };
}
