import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { postgresFaults } from './proof-faults-postgres.ts';
import { sqliteFaults } from './proof-faults-sqlite.ts';

/** What was done to a database while somebody worked with it, and what came of it. */
export interface FaultRow {
  fault: string;
  database: 'SQLite' | 'PostgreSQL';
  times: number;
  /** Writes that the hub confirmed. */
  acknowledged: number;
  /** Confirmed writes that are not there afterwards. */
  lost: number;
  /** The longest that a caller waited for an error; undefined when nobody got one. */
  slowestErrorMs?: number | undefined;
  /** The longest from the end of the fault to the next confirmed write; undefined when writes never stopped. */
  backAfterMs?: number | undefined;
}

/** One row of the table. `folder` is empty, and removed afterwards. */
export type ProveFault = (folder: string) => Promise<FaultRow>;

/** A caller hears of any fault within this time. */
const longestErrorMs = 10_000;

/** The faults of docs/reliability.md on both databases, printed as its table. True when nothing was lost and nobody waited too long. */
export async function proveFaults(): Promise<boolean> {
  const rows: FaultRow[] = [];
  for (const prove of [...sqliteFaults, ...postgresFaults]) {
    const folder = await mkdtemp(join(tmpdir(), 'zoo-faults-'));
    try {
      rows.push(await prove(folder));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
  process.stdout.write(`${toTable(rows)}\n`);
  return rows.every((row) => row.lost === 0 && (row.slowestErrorMs ?? 0) <= longestErrorMs);
}

const columns: [title: string, cell: (row: FaultRow) => string][] = [
  ['fault', (row) => row.fault],
  ['database', (row) => row.database],
  ['times', (row) => String(row.times)],
  ['acknowledged', (row) => String(row.acknowledged)],
  ['lost', (row) => String(row.lost)],
  ['slowest error', (row) => duration(row.slowestErrorMs)],
  ['back after', (row) => duration(row.backAfterMs)],
];

/** Markdown, so that the output can be pasted into the docs. */
function toTable(rows: readonly FaultRow[]): string {
  const lines = rows.map((row) => columns.map(([, cell]) => cell(row)));
  const head = [columns.map(([title]) => title), columns.map(() => '---')];
  return [...head, ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function duration(milliseconds: number | undefined): string {
  if (milliseconds === undefined) return '–';
  return milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(1)} s`;
}

if (import.meta.main && !(await proveFaults())) process.exitCode = 1;
