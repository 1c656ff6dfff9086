import { type DoorSettings, isReachable } from '../base/door-settings.ts';
import { UsageError } from '../cli/terminal/report-error.ts';
import { type Bind, parseBind } from '../config/bind.ts';
import { doorSettings } from '../config/door-settings.ts';
import type { LoadedConfig } from '../config/load-config.ts';
import { isWildcard, publicAddress } from './server/public-address.ts';

export interface HubAddress {
  /** Without a trailing slash. */
  url: string;
  /** Whether others than the users of this machine can reach the hub. */
  isReachable: boolean;
}

/** Returns the address of a running hub, for links and snippets: `--bind` if given, or what the config says. */
export async function hubAddress(config: LoadedConfig, given: string | undefined): Promise<HubAddress> {
  const bind = readBind(given ?? config.config.server.bind);
  const settings = doorSettings(config);
  const url = publicAddress(
    bind,
    given === undefined ? settings : { ...settings, publicUrl: undefined },
    await certificateOf(bind, settings),
  );
  return { url, isReachable: isReachable(bind.host, settings) };
}

export function readBind(text: string): Bind {
  const bind = parseBind(text);
  if (bind) return bind;
  throw new UsageError(`Invalid --bind "${text}". Use HOST:PORT, such as 127.0.0.1:7331.`);
}

/** Reads the certificate, if the address comes from it. The hub itself says what is wrong with the file. */
async function certificateOf({ host }: Bind, { certificate }: DoorSettings) {
  if (!certificate || !isWildcard(host)) return undefined;
  const { readCertificate } = await import('../base/read-certificate.ts');
  return (await readCertificate(certificate).catch(() => undefined))?.x509;
}
