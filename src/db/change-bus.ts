import { type Kysely, sql } from 'kysely';
import type { Tables } from './tables.ts';

/** The topics about which processes that share a database inform each other. */
export const topics = [
  'agents',
  'brain',
  'knowledge',
  'members',
  'mail',
  'work',
  'servers',
  'vault',
  'chats',
  'keys',
  'mcp',
  'settings',
  'inbox',
  'clients',
] as const;
export type Topic = (typeof topics)[number];

export interface Change {
  topic: Topic;
  /** Empty if any row may have changed. */
  ids: readonly string[];
}

/** Announces to every process what any of them committed. Each database has its own way. */
export interface ChangeBus {
  /**
   * Returns a different number after each change of the topic: in this process as soon as the write returns, in others soon
   * afterwards. Undefined while the number is not known; read the rows then.
   */
  version(topic: Topic): number | undefined;
  /** Calls back after each change by this process, and soon after changes by others. */
  on(listener: (change: Change) => void): () => void;
  /** How changes by other processes arrive; absent if every process sees them in the database itself. */
  readonly arrival?: Arrival;
}

export interface Arrival {
  /** Notices of PostgreSQL or NATS, or only looking for changes every second. */
  readonly way: 'listen' | 'nats' | 'poll';
  /** Why notices do not arrive, and what to do. Undefined if they do, or if that is not known yet. */
  readonly problem: string | undefined;
  /** Resolves when it is known whether notices arrive, within a few seconds. Never rejects. */
  check(): Promise<void>;
  /** Calls back when `problem` has changed. */
  watch(onChange: () => void): () => void;
}

/** Rarely written topics with one writer at a time: each transaction raises the topic's counter. */
export const countedTopics = ['knowledge', 'servers', 'settings', 'vault'] as const satisfies readonly Topic[];
export type CountedTopic = (typeof countedTopics)[number];

export interface CommittedChange extends Change {
  /** The value of the topic's counter, if it has one. */
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

/** Raises a counter and returns its new value. Other transactions that raise it wait until this one ends. */
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
