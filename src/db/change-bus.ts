import { type Kysely, sql } from 'kysely';
import type { Tables } from './tables.ts';

/** What processes that share a database tell each other about. */
export const topics = ['agents', 'brain', 'knowledge', 'members', 'mail', 'work', 'servers', 'vault', 'chats'] as const;
export type Topic = (typeof topics)[number];

export interface Change {
  topic: Topic;
  /** Empty: any of them. */
  ids: readonly string[];
}

/** Tells every process what any of them committed, each database in its own way. */
export interface ChangeBus {
  /**
   * Returns another number after each change of the topic: in this process as soon as the write returns, in others soon after.
   * Undefined while that cannot be told: read the rows.
   */
  version(topic: Topic): number | undefined;
  /** Calls back after each change by this process, and soon after those of others. */
  on(listener: (change: Change) => void): () => void;
}

/** Topics whose writers go one at a time, by a counter that each raises in its transaction: the rare ones. */
export const countedTopics = ['knowledge', 'servers', 'vault'] as const satisfies readonly Topic[];
export type CountedTopic = (typeof countedTopics)[number];

export interface CommittedChange extends Change {
  /** The value of the topic's counter, where it has one. */
  number?: number | undefined;
}

/** Calls back for changes of these topics only. */
export function onTopics<T extends Topic>(
  bus: ChangeBus,
  wanted: readonly T[],
  listener: (topic: T, ids: readonly string[]) => void,
): () => void {
  return bus.on(({ topic, ids }) => {
    const known = wanted.find((each) => each === topic);
    if (known) listener(known, ids);
  });
}

export async function bumpRevision(db: Kysely<Tables>, key: string): Promise<number> {
  const row = await db
    .insertInto('revisions')
    .values({ key, value: 1 })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value: sql<number>`revisions.value + 1` }))
    .returning('value')
    .executeTakeFirstOrThrow();
  return row.value;
}

/** Reads counters by their keys. */
export async function readRevisions(db: Kysely<Tables>, keys: readonly string[]): Promise<number[]> {
  const rows = await db.selectFrom('revisions').select(['key', 'value']).where('key', 'in', keys).execute();
  return keys.map((key) => rows.find((row) => row.key === key)?.value ?? 0);
}
