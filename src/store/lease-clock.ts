import { type RawBuilder, sql } from 'kysely';
import type { Clock } from '../base/clock.ts';
import type { Database } from './database.ts';

interface LeaseParts {
  database: Database;
  clock: Clock;
}

/**
 * The clock by which leases are given and looked at. Processes that share PostgreSQL may run on machines whose clocks differ, so the
 * database's own counts there; those that share a SQLite file are on one machine.
 */
export function leaseNow({ database, clock }: LeaseParts): RawBuilder<number> {
  return database.kind === 'postgres'
    ? sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`
    : sql<number>`${clock.now()}`;
}

/** The end of a lease that is given now. */
export function leaseEnd(parts: LeaseParts, leaseMs: number): RawBuilder<number> {
  return sql<number>`${leaseNow(parts)} + ${leaseMs}`;
}
