import { readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { makePrivateFolder } from '../base/private-files.ts';

/** What a script says of itself. */
export interface ScriptMetadata {
  fields: Record<string, unknown>;
  functions: string[];
}

/**
 * Metadata by the content of the script, kept on disk, so that a hub whose scripts are as they were starts no thread
 * to read them. They are data that the sandbox has read before, and are checked again like those it reads now.
 */
export interface MetadataCache {
  get(key: string): Promise<ScriptMetadata | undefined>;
  set(key: string, metadata: ScriptMetadata): void;
  /** Writes what is new. A cache that cannot be written is one that does not help. */
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

  /** Over what is there now, for other processes write too; a reader sees the old file or the new one. */
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
