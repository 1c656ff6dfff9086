/**
 * The same tables on both databases. Times are milliseconds since the epoch, JSON is text, booleans are 0 and 1. Each noun adds its own
 * tables in its store file.
 */
export interface Tables {
  leases: LeaseRow;
  revisions: RevisionRow;
}

/** What only one process may have at a time; a process that holds anything has a lease of its own name. */
interface LeaseRow {
  name: string;
  holder: string;
  since: number;
  /** By the clock of the database; in SQLite only a number that grows with each renewal. */
  until: number;
}

/** Counters that a write bumps in its own transaction, so that others can tell cheaply what changed. */
interface RevisionRow {
  key: string;
  value: number;
}
