import { join } from 'node:path';
import type { SourceProblem } from '../../base/source.ts';
import type { RawConfig } from '../read-config.ts';
import {
  confinedSources,
  type FolderPlace,
  type FoundPlace,
  findHeldParts,
  type HeldPart,
  withoutParts,
} from './held-half.ts';
import type { JudgedPart } from './judge-parts.ts';
import { readTrustedFolders, type TrustedFolder } from './trusted-folders.ts';

/** Whether a config may execute, connect and send. */
export interface ConfigTrust {
  /** The real path of the folder that needs trust; null if the config was named, so that nothing is held. */
  folder: string | null;
  /** All parts that need trust. */
  parts: readonly JudgedPart[];
  /** The parts that the user has not trusted, or that have changed since. They do not apply. */
  held: readonly JudgedPart[];
  /** Settings that were trusted and are gone, so that the defaults apply. */
  gone: readonly string[];
  /** Sources that apply without trust because they are inside the folder. */
  confined: ReadonlySet<string>;
  /** What the user has trusted so far. */
  trusted: TrustedFolder | undefined;
}

/** The trust in a config that was named, or that does not exist. */
export const namedConfig: ConfigTrust = {
  folder: null,
  parts: [],
  held: [],
  gone: [],
  confined: new Set(),
  trusted: undefined,
};

/** Returns the part of a found config that applies. Reads what is trusted only if something in it needs trust. */
export async function applyTrust(
  raw: RawConfig,
  place: FoundPlace | undefined,
): Promise<{ raw: RawConfig; trust: ConfigTrust }> {
  if (!place) return { raw, trust: namedConfig };
  const found = findHeldParts(raw, place);
  const folders = readTrustedFolders(place.dataDir);
  const trusted = Object.hasOwn(folders, place.realFolder) ? folders[place.realFolder] : undefined;
  const confined = new Set(confinedSources(raw, place));
  const { parts, gone } = await judge(found, trusted, place);
  const held = parts.filter(({ state }) => state !== 'trusted');
  const trust = { folder: place.realFolder, parts, held, gone, confined, trusted };
  return { raw: withoutParts(raw, held), trust };
}

/** Loads the code that reads and compares files only if there is something to compare. */
async function judge(found: readonly HeldPart[], trusted: TrustedFolder | undefined, place: FoundPlace) {
  if (found.length === 0 && Object.keys(trusted?.parts ?? {}).length === 0) return { parts: [], gone: [] };
  return (await import('./judge-parts.ts')).judgeParts(found, trusted, place);
}

/** Reads the files of matching trusted parts again. Returns whether they are still the ones that the user trusted. */
export async function areFilesTrusted(
  { parts, trusted }: ConfigTrust,
  place: FoundPlace | undefined,
  fits: (part: JudgedPart) => boolean,
): Promise<boolean> {
  const relevant = parts.filter((part) => part.state === 'trusted' && part.files.length > 0 && fits(part));
  if (!place || relevant.length === 0) return true;
  const { isUnchanged } = await import('./judge-parts.ts');
  return relevant.every((part) => isUnchanged(part, trusted, place));
}

/** Describes everything that is held in one problem; empty if nothing is. */
export function heldProblems(trust: ConfigTrust, shown: string, command: string): SourceProblem[] {
  const { held, gone, folder } = trust;
  if (folder === null || (held.length === 0 && gone.length === 0)) return [];
  if (held.length === 0) {
    const message = `${shown}: ${list(gone)} was trusted and is gone, so the defaults apply. To accept that, run "${command}" in ${folder}.`;
    return [{ place: shown, message }];
  }
  const isChange = trust.trusted !== undefined && Object.keys(trust.trusted.parts).length > 0;
  const what = isChange ? 'has changed since you trusted it' : 'is not trusted yet';
  const message = `${shown} ${what}, so these parts are held and do nothing: ${list(held.map(({ key }) => key))}. To see what they would do and to allow them, run "${command}" in ${folder}.`;
  return [{ place: shown, message }];
}

function list(keys: readonly string[]): string {
  const shown = keys.slice(0, 12).join(', ');
  return keys.length > 12 ? `${shown} and ${keys.length - 12} more` : shown;
}

/** Returns the command with which the user trusts a folder, for the data folder that was used. */
export function trustCommand({ dataDir, home }: Pick<FolderPlace, 'dataDir' | 'home'>): string {
  return dataDir === join(home, '.agent-zoo') ? 'zoo trust' : `zoo trust --home ${dataDir}`;
}

export function isSameTrust(one: ConfigTrust, other: ConfigTrust): boolean {
  const told = ({ parts, gone, trusted }: ConfigTrust) =>
    JSON.stringify([
      parts.map(({ key, hash, state, files }) => [key, hash, state, files.map((file) => file.hash)]),
      gone,
      trusted?.trustedAt === undefined,
    ]);
  return one === other || told(one) === told(other);
}

/** Whether the user has never trusted anything in this folder, and none of our commands wrote its config. */
export function isStrange({ folder, trusted }: ConfigTrust): boolean {
  return folder !== null && !trusted?.trustedAt;
}
