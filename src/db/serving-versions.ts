import { type Kysely, sql } from 'kysely';
import { toIso } from '../base/clock.ts';
import { holderState, holderWords } from '../base/holder.ts';
import { version } from '../version.ts';
import { contracts, migrations } from './migrations/migrations.ts';
import type { Tables } from './tables.ts';

/** A process counts as running this long after its last sign. Clocks of machines may differ by minutes. */
const silenceMs = 15 * 60_000;

/** What this process writes beside its leases: the version, and the number of the newest step that it knows. */
export const processVersion = `${version}+${numberOf(
  Object.keys({ ...migrations, ...contracts })
    .toSorted()
    .at(-1) ?? '',
)}`;

/** A process that uses the database. */
export interface ServingProcess {
  /** For people: the process and its machine; for older versions, when the hub was last seen. */
  who: string;
  /** Null for versions that did not write theirs. */
  version: string | null;
}

/**
 * Returns the processes that serve or hold something, and gave a sign of it within `withinMs`. One that has not written anything yet
 * is unknown.
 */
export async function servingProcesses(db: Kysely<Tables>, withinMs = silenceMs): Promise<ServingProcess[]> {
  const since = Date.now() - withinMs;
  const { rows } = await sql<{ holder: string | null; version: string | null; seen_at: number }>`
    select holder, version, until as seen_at from leases where name = holder and until > ${since}
    union all select holder, version, seen_at from hub_presence where seen_at > ${since}`.execute(db);
  const processes = new Map<string, ServingProcess>();
  for (const { holder, version: of, seen_at } of rows) {
    if (holder !== null && holderState(holder) === 'ended') continue;
    const who = holder === null ? `a hub that served at ${toIso(seen_at)}` : holderWords(holder);
    processes.set(who, { who, version: of });
  }
  return [...processes.values()];
}

/** Returns the processes, for people to read, that do not know a step. */
export async function olderProcesses(db: Kysely<Tables>, step: string): Promise<string[]> {
  const older = (await servingProcesses(db)).filter((each) => (each.version?.split('+')[1] ?? '') < numberOf(step));
  return older.map(({ who, version: of }) => `${who} (${of ?? 'an earlier version'})`);
}

function numberOf(step: string): string {
  return step.slice(0, 4);
}
