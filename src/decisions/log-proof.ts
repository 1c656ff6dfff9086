import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import type { InstallationKeys } from '../base/installation-keys.ts';
import { readKeyFile } from '../base/key-file.ts';
import { once } from '../base/lazy.ts';
import type { Logger } from '../base/logger.ts';
import { AnchorFile } from './anchor-file.ts';
import { type Anchors, type Head, noAnchors, readLines } from './anchor-lines.ts';
import { type LogKey, logKey } from './log-key.ts';

export interface LogProofOptions {
  installationKeys: InstallationKeys;
  /** The folder for the hub's own data. */
  dataDir: string;
  /** Names the database: a home may have used several, and each has its own anchors. */
  location: string;
  clock: Pick<Clock, 'now'>;
  logger: Logger;
  allHeads(): Promise<Head[]>;
}

/** The evidence for the log that is not in the database: the key that chains entries, and the anchors. */
export interface LogProof {
  /** For people: where the key comes from. */
  readonly keyFile: string;
  readonly anchors: AnchorFile;
  /** Returns the key for writing, and creates it on first use. Undefined if it cannot be read or created; entries are then only hashed. */
  key(): Promise<LogKey | undefined>;
  /** Returns the keys that this home has or had: from AGENT_ZOO_SECRET and from the key file. Throws UNAVAILABLE if one cannot be read. */
  existingKeys(): Promise<LogKey[]>;
}

export function openLogProof(options: LogProofOptions): LogProof {
  const { installationKeys, dataDir, location, clock, logger, allHeads } = options;
  const folder = join(dataDir, 'decision-log');
  const keyFile = join(folder, 'key');
  const anchors = new AnchorFile({
    path: join(folder, `anchors-${shortHash(location)}.jsonl`),
    clock,
    logger,
    allHeads,
  });
  return {
    keyFile,
    anchors,
    key: once(async () => {
      try {
        const key = logKey(await installationKeys.key('log'));
        anchors.keyId = key.id;
        return key;
      } catch (error) {
        logger.warn({ err: error, path: keyFile }, 'the decision log is written without its key');
        return undefined;
      }
    }),
    async existingKeys() {
      const found = [await installationKeys.derived('log'), await installationKeys.fromFile('log')];
      return found.flatMap((bytes) => (bytes ? [logKey(bytes)] : []));
    },
  };
}

/** What a verification knows besides the database. */
export interface KnownProof {
  keys: Map<string, LogKey>;
  /** Undefined if this log has no anchors, and none were given. */
  anchors: Anchors | undefined;
  keyFile: string | undefined;
  anchorFile: string | undefined;
}

/** Reads this home's key and anchors, and those that were given: files of other homes, and what a webhook received. */
export async function readProof(
  proof: LogProof | undefined,
  given: { keys: readonly string[]; anchors: readonly string[] },
): Promise<KnownProof> {
  const keys = [...((await proof?.existingKeys()) ?? []), ...(await Promise.all(given.keys.map(readLogKey)))];
  const anchors = (await proof?.anchors.read()) ?? noAnchors();
  for (const path of given.anchors) readLines(await readFile(path, 'utf8'), anchors);
  return {
    keys: new Map(keys.map((key) => [key.id, key])),
    anchors: anchors.since === undefined ? undefined : anchors,
    keyFile: proof?.keyFile,
    anchorFile: proof?.anchors.path,
  };
}

/** Reads a copy of another home's key. Throws UNAVAILABLE, and the errors of reading a file. */
async function readLogKey(path: string): Promise<LogKey> {
  const bytes = await readKeyFile(path);
  return logKey(bytes ?? (await readFile(path)));
}

function shortHash(text: string): string {
  return process.getBuiltinModule('node:crypto').hash('sha256', text, 'hex').slice(0, 12);
}
