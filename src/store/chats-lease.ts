import { type RawBuilder, sql } from 'kysely';
import type { ChatParts } from './chats-answer.ts';

/**
 * The clock by which leases are given and looked at. Processes that share PostgreSQL may run on machines whose clocks differ, so the
 * database's own counts there; those that share a SQLite file are on one machine.
 */
export function leaseNow({ database, clock }: Pick<ChatParts, 'database' | 'clock'>): RawBuilder<number> {
  return database.kind === 'postgres'
    ? sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`
    : sql<number>`${clock.now()}`;
}

/** The end of a lease that is given now. */
export function leaseEnd(parts: Pick<ChatParts, 'database' | 'clock'>, leaseMs: number): RawBuilder<number> {
  return sql<number>`${leaseNow(parts)} + ${leaseMs}`;
}
