import { systemClock } from '../../base/clock.ts';
import { withScripts } from '../context-harness/with-scripts.ts';
import { parseToml } from '../read-config.ts';
import { applyTrust, type ConfigTrust } from './config-trust.ts';
import { partText } from './describe-part.ts';
import type { FoundPlace } from './held-half.ts';
import { hashOf, type PartFile } from './part-files.ts';
import { saveTrustedFolder, type TrustedFolder } from './trusted-folders.ts';

/**
 * Trusts a config as it was judged and shown, even if it has changed since. `ours` are the files that one of our commands has just written,
 * by name.
 */
export function trustConfig(dataDir: string, trust: ConfigTrust, ours: readonly string[] = []): void {
  if (trust.folder === null) return;
  const isOurs = ({ name }: PartFile) => ours.includes(name) || (trust.trusted?.files[name]?.isOurs ?? false);
  const parts = trust.parts.map((part) => [part.key, { hash: part.hash, text: partText(part) }]);
  const files = trust.parts
    .flatMap((part) => part.files)
    .map((file) => [file.name, { hash: file.hash, text: keptText(file), ...(isOurs(file) && { isOurs: true }) }]);
  saveTrustedFolder(dataDir, trust.folder, {
    trustedAt: new Date(systemClock.now()).toISOString(),
    parts: Object.fromEntries(parts),
    files: Object.fromEntries(files),
  });
}

/** Only to show later what has changed. */
function keptText({ text }: PartFile): string | undefined {
  return text !== undefined && text.length <= maxKeptLength ? text : undefined;
}

const maxKeptLength = 64 * 1024;

/** Remembers that the user has refused, so that the same content is not asked about again. */
export function declineConfig(dataDir: string, trust: ConfigTrust): void {
  if (trust.folder === null) return;
  const before: TrustedFolder = trust.trusted ?? { trustedAt: null, parts: {}, files: {} };
  saveTrustedFolder(dataDir, trust.folder, { ...before, declined: contentOf(trust) });
}

export function isDeclined(trust: ConfigTrust): boolean {
  return trust.trusted?.declined === contentOf(trust);
}

/** Identifies what is held, as it was shown to the user. */
export function contentOf({ held, gone }: ConfigTrust): string {
  return hashOf(
    JSON.stringify([held.map(({ key, hash, files }) => [key, hash, files.map((each) => each.hash)]), gone]),
  );
}

export interface OwnWriting {
  place: FoundPlace;
  /** The text of the config before and after the command. */
  before: string;
  after: string;
  /** New files that the command has written, relative to the folder. */
  files: readonly string[];
}

/**
 * Keeps a folder trusted after one of our commands has changed its config. If something in the folder was held before, nothing is trusted,
 * because the user has not decided about it yet; returns false then.
 */
export async function trustOwnWriting({ place, before, after, files }: OwnWriting): Promise<boolean> {
  const whole = (text: string) => withScripts(parseToml(text, 'zoo.toml'), place).raw;
  const earlier = await applyTrust(whole(before), place);
  if (earlier.trust.held.length > 0 || earlier.trust.gone.length > 0) return false;
  const { trust } = await applyTrust(whole(after), place);
  trustConfig(place.dataDir, trust, files);
  return true;
}
