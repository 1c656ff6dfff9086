/**
 * The same tables on both databases. Times are milliseconds since the epoch, JSON is text, booleans are 0 and 1. Each noun adds its own
 * tables in its store file.
 */
export interface Tables {
  leases: LeaseRow;
  revisions: RevisionRow;
}

/** Something that one process may hold at a time. A process that holds anything also has a lease under its own name. */
interface LeaseRow {
  name: string;
  holder: string;
  since: number;
  /** By the database's clock; in SQLite, just a number that grows with each renewal. */
  until: number;
  /** The version of the process; null if it is from before versions were written. */
  version: string | null;
}

/** Counters that a write raises in its own transaction, so that others can cheaply notice changes. */
interface RevisionRow {
  key: string;
  value: number;
}
