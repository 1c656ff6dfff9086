import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { postgresFaults } from './proof-faults-postgres.ts';
import { sqliteFaults } from './proof-faults-sqlite.ts';

/** A fault in a database under load, and its consequences. */
export interface FaultRow {
  fault: string;
  database: 'SQLite' | 'PostgreSQL';
  times: number;
  /** Writes that the hub confirmed. */
  acknowledged: number;
  /** Confirmed writes that are missing afterwards. */
  lost: number;
  /** The longest wait of a caller for an error; undefined if there was none. */
  slowestErrorMs?: number | undefined;
  /** The longest time from the end of the fault to the next confirmed write; undefined if writes never stopped. */
  backAfterMs?: number | undefined;
}

/** Measures one row of the table. `folder` is empty, and is removed afterwards. */
export type ProveFault = (folder: string) => Promise<FaultRow>;

/** Every caller must get an error within this time. */
const longestErrorMs = 10_000;

/** Runs the faults of docs/reliability.md on both databases and prints its table. Returns true if nothing was lost and nobody waited too long. */
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
