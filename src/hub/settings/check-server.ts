import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { isLoopbackHost } from '../../base/address-ranges.ts';
import { refuseUnencrypted } from '../../base/door-settings.ts';
import { HubError } from '../../base/hub-error.ts';
import { readCertificate } from '../../base/read-certificate.ts';
import { parseBind } from '../../config/bind.ts';
import { doorSettings } from '../../config/door-settings.ts';
import type { LoadedConfig } from '../../config/load-config.ts';

/**
 * Throws INVALID_ARGUMENTS if a hub with this config could not start: without it, nobody could open the app to correct the mistake.
 */
export async function checkServer(loaded: Pick<LoadedConfig, 'config' | 'folder' | 'home'>): Promise<void> {
  const { host = '' } = parseBind(loaded.config.server.bind) ?? {};
  const door = doorSettings(loaded);
  try {
    refuseUnencrypted(host, door);
    if (door.certificate) await readCertificate(door.certificate);
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    throw new HubError('INVALID_ARGUMENTS', `The hub could not start with this. ${error.message}`, { cause: error });
  }
  if (isForeign(host))
    throw new HubError(
      'INVALID_ARGUMENTS',
      `The hub could not start with this. This machine has no address ${host}. Use 127.0.0.1, 0.0.0.0 or an address of this machine.`,
    );
}

/** Whether the address belongs to another machine. Names are resolved at the start. */
function isForeign(host: string): boolean {
  if (isIP(host) === 0 || isLoopbackHost(host) || /^[0:.]+$/.test(host)) return false;
  const own = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return !own.some(({ address }) => address.toLowerCase() === host.toLowerCase());
}
