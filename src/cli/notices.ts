import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { replacePrivateFile } from '../base/private-files.ts';
import type { LoadedConfig } from '../config/load-config.ts';

/** The hashes of the notices that were shown. The oldest ones are forgotten, and would be shown again. */
const Shown = z.array(z.string()).max(1_000);

/** Returns the notices of a config that no command has shown before, and remembers them. */
export function newNotices({ notices, dataDir }: Pick<LoadedConfig, 'notices' | 'dataDir'>): string[] {
  if (notices.length === 0) return [];
  const file = join(dataDir, 'notices.json');
  const shown = readShown(file);
  const fresh = notices.filter((notice) => !shown.includes(hash('sha256', notice)));
  if (fresh.length === 0) return [];
  const next = [...shown, ...fresh.map((notice) => hash('sha256', notice))].slice(-1_000);
  try {
    replacePrivateFile(file, `${JSON.stringify(next)}\n`);
  } catch {
    // A folder that cannot be written is reported elsewhere. The notice is shown again.
  }
  return fresh;
}

function readShown(file: string): string[] {
  try {
    return Shown.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return [];
  }
}
