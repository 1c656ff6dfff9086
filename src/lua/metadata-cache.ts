import { readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { makePrivateFolder } from '../base/private-files.ts';

/** The fields of a script's table, and the names of its functions. */
export interface ScriptMetadata {
  fields: Record<string, unknown>;
  functions: string[];
}

/**
 * Caches metadata on disk by the content of the script, so that a hub with unchanged scripts starts no thread for them. Cached
 * metadata is validated like new metadata.
 */
export interface MetadataCache {
  get(key: string): Promise<ScriptMetadata | undefined>;
  set(key: string, metadata: ScriptMetadata): void;
  /** Writes new entries. Ignores failures, because the cache is optional. */
  close(): Promise<void>;
}

const Entries = z.record(
  z.string(),
  z.object({ fields: z.record(z.string(), z.unknown()), functions: z.array(z.string()) }),
);
const maxEntries = 500;
const maxCharacters = 8 * 1024 * 1024;

export function metadataCache(file: string): MetadataCache {
  let reading: Promise<Map<string, ScriptMetadata>> | undefined;
  const added = new Map<string, ScriptMetadata>();
  let writing: Promise<void> | undefined;
  let waiting: NodeJS.Timeout | undefined;

  return {
    async get(key) {
      reading ??= readEntries(file);
      return added.get(key) ?? (await reading).get(key);
    },
    set(key, metadata) {
      added.set(key, metadata);
      waiting ??= setTimeout(() => void write(), 500).unref();
    },
    async close() {
      clearTimeout(waiting);
      await write();
    },
  };

  /** Merges with the current file, because other processes write it, too. Readers see either the old or the new file. */
  async function write(): Promise<void> {
    await writing;
    waiting = undefined;
    if (added.size === 0) return;
    writing = writeEntries(file, [...added]).catch(() => {});
    added.clear();
    reading = undefined;
    await writing;
  }
}

async function readEntries(file: string): Promise<Map<string, ScriptMetadata>> {
  try {
    const text = await readFile(file, 'utf8');
    if (text.length > maxCharacters) return new Map();
    return new Map(Object.entries(Entries.parse(JSON.parse(text))));
  } catch {
    return new Map();
  }
}

async function writeEntries(file: string, added: readonly [string, ScriptMetadata][]): Promise<void> {
  const entries = [...(await readEntries(file)), ...added].slice(-maxEntries);
  const temporary = `${file}.${process.pid}.new`;
  makePrivateFolder(dirname(file));
  await writeFile(temporary, JSON.stringify(Object.fromEntries(entries)), { mode: 0o600 });
  await rename(temporary, file);
}
