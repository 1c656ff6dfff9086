import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ownerSecret } from '../../../src/callers/credentials.ts';
import type { Hub } from '../../../src/hub.ts';

/** Returns the header of the owner's requests, for a hub in this process or one with this data folder that has started. */
export async function ownerHeader(from: { hub: Pick<Hub, 'callers'> } | { home: string }): Promise<OwnerHeader> {
  const key =
    'hub' in from ? await from.hub.callers.ownerKey() : ownerSecret(await readFile(join(from.home, 'owner.key')));
  return { authorization: `Bearer ${key}` };
}

export interface OwnerHeader {
  authorization: string;
}
