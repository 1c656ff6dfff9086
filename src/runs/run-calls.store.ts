import { type Kysely, sql } from 'kysely';
import type { Write } from '../db/database.ts';
import { cleanText, slices } from '../db/rows.ts';
import type { SqlDialect } from '../db/sql-dialect.ts';
import type { Tables } from '../db/tables.ts';
import type { CalledBy, RunStep, StoredRun, StoredRunDetail } from '../engine/run-store.ts';
import type { Redact } from '../tools/redact/redact.ts';

const idsAtOnce = 200;
/** The number of called runs in the details of a run, which the web app reads every second while it is running. */
const maxCalled = 200;

/** Stores which run started a run, in the transaction that stores the run: nobody sees it as a run that a user started. */
export async function addCall(
  db: Write['db'],
  redact: Redact,
  { id, calledBy }: { id: string; calledBy: CalledBy },
): Promise<void> {
  const { runId, callId, tick, arguments: given = {} } = calledBy;
  const above = await db.selectFrom('run_calls').select('root_id').where('run_id', '=', runId).executeTakeFirst();
  const row = {
    run_id: id,
    parent_id: runId,
    root_id: above?.root_id ?? runId,
    call_id: cleanText(callId),
    tick,
    arguments: redact(cleanText(JSON.stringify(given))),
  };
  await db.insertInto('run_calls').values(row).execute();
}

export type RunLinks = Pick<StoredRun, 'calledBy' | 'calledRuns'>;

/** Returns a function that tells who called a run, and how many runs it called. */
export async function readLinks(db: Kysely<Tables>, ids: readonly string[]): Promise<(id: string) => RunLinks> {
  const callers = new Map<string, StoredRun['calledBy']>();
  const called = new Map<string, number>();
  for (const some of slices(ids, idsAtOnce)) {
    const above = await db
      .selectFrom('run_calls')
      .select(['run_id', 'parent_id', 'call_id', 'tick'])
      .where('run_id', 'in', some)
      .execute();
    for (const { run_id, parent_id, call_id, tick } of above)
      callers.set(run_id, { runId: parent_id, callId: call_id, tick });
    const below = await db
      .selectFrom('run_calls')
      .innerJoin('runs', 'runs.id', 'run_calls.run_id')
      .select(({ fn }) => ['parent_id', fn.countAll<number | string>().as('count')])
      .where('parent_id', 'in', some)
      .groupBy('parent_id')
      .execute();
    for (const { parent_id, count } of below) called.set(parent_id, Number(count));
  }
  return (id) => ({ calledBy: callers.get(id) ?? null, calledRuns: called.get(id) ?? 0 });
}

/** Returns the last runs that a run started, in order. */
export async function readCalled(db: Kysely<Tables>, id: string): Promise<Tables['runs'][]> {
  const rows = await db
    .selectFrom('runs')
    .innerJoin('run_calls', 'run_calls.run_id', 'runs.id')
    .selectAll('runs')
    .where('parent_id', '=', id)
    .orderBy('started_at', 'desc')
    .orderBy('id', 'desc')
    .limit(maxCalled)
    .execute();
  return rows.reverse();
}

/** Returns the run that started a run, with the step that did; null if there is none, or if it was deleted. */
export async function readCaller(
  { db, dialect }: { db: Kysely<Tables>; dialect: SqlDialect },
  id: string,
): Promise<StoredRunDetail['caller']> {
  const row = await db
    .selectFrom('run_calls')
    .innerJoin('runs', 'runs.id', 'run_calls.parent_id')
    .select(['runs.id', 'agent_id', 'title', 'call_id', 'tick', 'arguments'])
    .where('run_id', '=', id)
    .executeTakeFirst();
  if (!row) return null;
  const steps = await db
    .selectFrom('run_steps')
    .select('data')
    .where('run_id', '=', row.id)
    .where(dialect.contains(sql.ref('data'), JSON.stringify(row.call_id)))
    .execute();
  // `StepWriter` wrote them, from this type.
  const made = steps
    .map(({ data }): RunStep => JSON.parse(data))
    .find((step) => step.kind === 'tool' && step.id === row.call_id && step.tick === row.tick);
  return {
    agentId: row.agent_id,
    title: row.title,
    step: made?.step ?? null,
    arguments: JSON.parse(row.arguments),
  };
}

declare module '../db/tables.ts' {
  interface Tables {
    run_calls: RunCallRow;
  }
}

/** A run that another run started by calling an agent. */
interface RunCallRow {
  run_id: string;
  parent_id: string;
  /** The run at the top, which no other run started. */
  root_id: string;
  /** The id of the call in the conversation of the parent. */
  call_id: string;
  tick: number;
  /** The arguments of the agent's prompt as JSON. */
  arguments: string;
}
