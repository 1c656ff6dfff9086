import type { X509Certificate } from 'node:crypto';
import { hostname } from 'node:os';
import type { DoorSettings } from '../../base/door-settings.ts';
import { firstName } from './certificate.ts';

/** Whether a server on this host listens on all addresses of the machine. */
export function isWildcard(host: string): boolean {
  return host === '' || host === '0.0.0.0' || host === '::';
}

/** Returns the address that browsers and clients use, without a trailing slash. */
export function publicAddress(
  { host, port }: { host: string; port: number },
  { publicUrl, certificate }: Pick<DoorSettings, 'publicUrl' | 'certificate'>,
  x509?: X509Certificate,
): string {
  if (publicUrl !== undefined) return publicUrl;
  const name = isWildcard(host) ? ((x509 && firstName(x509)) ?? hostname()) : host;
  return new URL(`${certificate ? 'https' : 'http'}://${name.includes(':') ? `[${name}]` : name}:${port}`).origin;
}
