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
  /** For people: the process and its machine, or when the hub was last seen. */
  who: string;
  /** Null for versions that did not write theirs. */
  version: string | null;
}

/** Returns the processes that serve or hold something. One that has not written anything yet is unknown. */
export async function servingProcesses(db: Kysely<Tables>): Promise<ServingProcess[]> {
  const since = Date.now() - silenceMs;
  const leases = await sql<{ holder: string; version: string | null }>`
    select holder, version from leases where name = holder and until > ${since} order by since`.execute(db);
  const hubs = await sql<{ seen_at: number; version: string | null }>`
    select seen_at, version from hub_presence where seen_at > ${since} order by started_at`.execute(db);
  return [
    ...leases.rows
      .filter(({ holder }) => holderState(holder) !== 'ended')
      .map((row) => ({ who: holderWords(row.holder), version: row.version })),
    ...hubs.rows.map((row) => ({ who: `a hub that served at ${toIso(row.seen_at)}`, version: row.version })),
  ];
}

/** Returns the processes, for people to read, that do not know a step. */
export async function olderProcesses(db: Kysely<Tables>, step: string): Promise<string[]> {
  const older = (await servingProcesses(db)).filter((each) => (each.version?.split('+')[1] ?? '') < numberOf(step));
  return older.map(({ who, version: of }) => `${who} (${of ?? 'an earlier version'})`);
}

function numberOf(step: string): string {
  return step.slice(0, 4);
}
