import { type FoundPlace, type HeldPart, halves, isSection } from './held-half.ts';
import { hashOf, type PartFile, readPartFiles } from './part-files.ts';
import type { TrustedFolder } from './trusted-folders.ts';

/** A held part with the content that trust depends on. */
export interface JudgedPart extends HeldPart {
  /** `mcp_servers.files`. */
  key: string;
  hash: string;
  /** The files that it runs. The script of a section comes first. */
  files: readonly PartFile[];
  state: 'trusted' | 'new' | 'changed';
}

/** Compares the held half with what the user has trusted: each part as written, and the files that it runs. */
export function judgeParts(
  found: readonly HeldPart[],
  trusted: TrustedFolder | undefined,
  place: FoundPlace,
): { parts: JudgedPart[]; gone: string[] } {
  const parts = found.map((part) => judge(part, trusted, place));
  const keys = new Set(parts.map(({ key }) => key));
  const gone = Object.keys(trusted?.parts ?? {}).filter((key) => isSetting(key) && !keys.has(key));
  return { parts, gone };
}

/** A whole section of settings. Without it, the defaults apply, which may allow more. */
function isSetting(key: string): boolean {
  const row = isSection(key) ? halves[key] : undefined;
  return row?.half === 'held' && row.depth === 1;
}

function judge(part: HeldPart, trusted: TrustedFolder | undefined, place: FoundPlace): JudgedPart {
  const key = keyOf(part);
  const hash = hashOf(canonical([part.path, part.value]));
  const known = trusted && Object.hasOwn(trusted.parts, key) ? trusted.parts[key] : undefined;
  const files = readPartFiles(part, place);
  const isTrusted = known?.hash === hash && areTrusted(files, trusted);
  return { ...part, key, hash, files, state: isTrusted ? 'trusted' : known ? 'changed' : 'new' };
}

/** A script that one of our commands wrote is trusted with everything it imports, because the user asked for it. */
function areTrusted([script, ...others]: readonly PartFile[], trusted: TrustedFolder | undefined): boolean {
  if (script === undefined) return true;
  if (trustedFile(trusted, script.name)?.isOurs) return true;
  return [script, ...others].every(({ name, hash }) => {
    const known = trustedFile(trusted, name);
    return known !== undefined && known.hash === hash;
  });
}

function trustedFile(trusted: TrustedFolder | undefined, name: string) {
  return trusted && Object.hasOwn(trusted.files, name) ? trusted.files[name] : undefined;
}

/** Reads the files of a trusted part again. Returns whether all of them are still what the user trusted. */
export function isUnchanged(part: JudgedPart, trusted: TrustedFolder | undefined, place: FoundPlace): boolean {
  return areTrusted(readPartFiles(part, place), trusted);
}

/** Names a part as in the file: `mcp_servers.files`. */
function keyOf({ path, isOwnKeys }: HeldPart): string {
  const parts = path.map((part) => (/^[A-Za-z0-9_-]+$/.test(part) ? part : JSON.stringify(part)));
  return `${parts.join('.')}${isOwnKeys ? '.*' : ''}`;
}

/** The same text for the same value, whatever the order of its keys. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) => {
    if (typeof each === 'bigint') return `${each}n`;
    if (typeof each !== 'object' || each === null || Array.isArray(each) || each instanceof Date) return each;
    return Object.fromEntries(Object.entries(each).toSorted(([one], [other]) => (one < other ? -1 : 1)));
  });
}
