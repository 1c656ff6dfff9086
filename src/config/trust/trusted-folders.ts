import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { replacePrivateFile } from '../../base/private-files.ts';
import { trustFile } from '../find-config.ts';

const TrustedPart = z.object({
  /** The hash of the part as written. */
  hash: z.string(),
  /** The part with its secrets masked, to show what has changed. */
  text: z.string(),
});

const TrustedFile = z.object({
  /** The hash of the bytes; null if the file did not exist. */
  hash: z.string().nullable(),
  /** To show what has changed. Absent for large and binary files. */
  text: z.string().optional(),
  /** Set if one of our commands wrote it. The user can edit it without being asked again. */
  isOurs: z.boolean().optional(),
});

/** What the user has trusted in one folder. */
const TrustedFolder = z.object({
  /** Null if the user has refused but never trusted. */
  trustedAt: z.string().nullable(),
  /** By key: `mcp_servers.files`. */
  parts: z.record(z.string(), TrustedPart),
  /** By path, relative to the folder if they are inside it. */
  files: z.record(z.string(), TrustedFile),
  /** The content that the user has refused, which is not asked about again. */
  declined: z.string().optional(),
});
export type TrustedFolder = z.infer<typeof TrustedFolder>;

const TrustedFolders = z.object({ version: z.literal(1), folders: z.record(z.string(), TrustedFolder) });

/** Trusts nothing if the file is missing or cannot be read. */
export function readTrustedFolders(dataDir: string): Record<string, TrustedFolder> {
  try {
    return TrustedFolders.parse(JSON.parse(readFileSync(trustFile(dataDir), 'utf8')), { jitless: true }).folders;
  } catch {
    return {};
  }
}

/** Writes what is trusted in a folder; undefined forgets the folder. */
export function saveTrustedFolder(dataDir: string, folder: string, trusted: TrustedFolder | undefined): void {
  const { [folder]: _, ...others } = readTrustedFolders(dataDir);
  const folders = trusted ? { ...others, [folder]: trusted } : others;
  replacePrivateFile(trustFile(dataDir), `${JSON.stringify({ version: 1, folders }, null, 2)}\n`);
}
