import { Agent } from 'node:http';
import { sql } from 'kysely';
import { systemClock } from '../../src/base/clock.ts';
import { silentLogger } from '../../src/base/logger.ts';
import type { Database } from '../../src/db/database.ts';
import { openDatabase, openStore } from '../../src/store/open-store.ts';
import { readDecisions } from '../../test/support/databases/test-decision.ts';
import {
  countBy,
  firstProblems,
  type ProofPlace,
  postExecute,
  prepareTeam,
  serverName,
  spawnServer,
} from './team-proof-parts.ts';

export interface KillProof {
  rounds: number;
  acknowledged: number;
  /** Mails that are there, with those whose answer was lost with the process. */
  mails: number;
  /** Calls without an outcome when their process was killed, and how many were closed by the next one. */
  open: number;
  closed: number;
  /** Rows and chains of the decision log at the end. */
  rows: number;
  chains: number;
  integrity: string;
  problems: string[];
}

const members = ['worker-0', 'worker-1', 'worker-2'];
const connections = 8;

/**
 * In each round a server is killed with no warning while members send mail to it on several connections; the next one opens
 * the same database. What was acknowledged must be there, every mail with its call in the log, and every call closed once.
 */
export async function killDuringCalls(options: ProofPlace & { rounds: number }): Promise<KillProof> {
  const { folder, rounds } = options;
  const team = [{ id: 'boss', type: 'SUPERVISOR' as const }, ...members.map((id) => ({ id, supervisorId: 'boss' }))];
  const tokens = await prepareTeam({ ...options, members: team });
  const store = await openStore({ db: options.db, clock: systemClock, logger: silentLogger });
  const database = await openDatabase(options.db, silentLogger);
  const counts = { rounds: 0, acknowledged: 0, mails: 0, open: 0, closed: 0 };
  const problems: string[] = [];
  let integrity = 'ok';
  let waiting = spawnServer(folder);
  let seen = 0;
  try {
    let server = await waiting.begin();
    for (let round = 0; round < rounds && problems.length === 0 && integrity === 'ok'; round += 1) {
      waiting = spawnServer(folder);
      const acknowledged = await sendUntilKilled({ server, tokens, round });
      await connectionsEnded(database);
      const left = await readRound(database, { round, seen });
      const before = findProblems(acknowledged, left);
      server = await waiting.begin();
      const { problems: unfit } = await store.decisions.verify();
      integrity = await checkIntegrity(database);
      counts.rounds += 1;
      counts.acknowledged += acknowledged.size;
      counts.mails += left.mails.length;
      counts.open += left.open.length;
      counts.closed += server.closedCalls.length;
      seen = left.last;
      const isSame = [...left.open].sort().join() === [...server.closedCalls].sort().join();
      problems.push(
        ...before.map((problem) => `after the kill in round ${round}: ${problem}`),
        ...unfit.map(({ chain, chainNo, message }) => `round ${round}: ${chain} ${chainNo}: ${message}`),
        ...(isSame ? [] : [`round ${round}: open were ${left.open}, closed were ${server.closedCalls}`]),
      );
    }
    await server.kill();
    problems.push(...(await callsWithoutOneEnd(database)));
    const { rows, chains } = await store.decisions.verify();
    return { ...counts, rows, chains, integrity, problems: firstProblems(problems) };
  } finally {
    await waiting.kill();
    await Promise.all([store.close(), database.close()]);
  }
}

/** The mail ids of what was acknowledged, by subject. */
async function sendUntilKilled({
  server,
  tokens,
  round,
}: {
  server: { port: number; kill(): Promise<void> };
  tokens: ReadonlyMap<string, string>;
  round: number;
}): Promise<Map<string, string>> {
  const acknowledged = new Map<string, string>();
  const agent = new Agent({ keepAlive: true });
  const enough = 1 + Math.floor(Math.random() * 30);
  let killing: Promise<void> | undefined;
  let next = 0;
  await Promise.all(Array.from({ length: connections }, send));
  await killing;
  agent.destroy();
  return acknowledged;

  async function send(): Promise<void> {
    for (;;) {
      const subject = subjectOf(round, next++);
      const member = members[next % members.length] ?? '';
      const input = { toAgentId: 'boss', subject, body: 'Text.' };
      const body = { agentId: member, toolName: 'mcp__mail__send', input };
      const answer = await postExecute(agent, server.port, { token: tokens.get(member) ?? '', body }).catch(
        () => undefined,
      );
      if (!answer) return;
      if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
      acknowledged.set(subject, String(answer.body.data?.mailId));
      // A moment later, so that it falls anywhere within the other calls.
      if (acknowledged.size === enough) killing = systemClock.sleep(Math.random() * 8).then(server.kill);
    }
  }
}

/** PostgreSQL notices the end of a process a little later, and may still commit what had reached it. */
async function connectionsEnded(database: Database): Promise<void> {
  if (database.kind === 'sqlite') return;
  const query = sql`select 1 from pg_stat_activity where datname = current_database() and application_name = ${serverName}`;
  while ((await database.read((db) => query.execute(db))).rows.length > 0) await systemClock.sleep(5);
}

function subjectOf(round: number, index: number): string {
  return `r${round}-${index}.`;
}

type Round = Awaited<ReturnType<typeof readRound>>;

async function readRound(database: Database, { round, seen }: { round: number; seen: number }) {
  return database.read(async (db) => {
    const mails = await db
      .selectFrom('mails')
      .select(['id', 'subject'])
      .where('subject', 'like', `r${round}-%`)
      .execute();
    const eventsOf = await db.selectFrom('events').select('data').where('data', 'like', `%"r${round}-%`).execute();
    const rows = (await readDecisions(db)).filter(({ seq }) => seq > seen);
    const ended = new Set(rows.filter(({ kind }) => kind !== 'invocation').map(({ callId }) => callId));
    const begun = rows.filter(({ kind }) => kind === 'invocation');
    return {
      mails,
      events: countBy(eventsOf, ({ data }) => String(JSON.parse(data).mailId)),
      calls: new Map(begun.map(({ callId, context }) => [String(JSON.parse(context).subject), callId])),
      results: new Map(rows.flatMap((row) => (row.kind === 'result' ? [[row.callId, row.context]] : []))),
      open: begun.map(({ callId }) => callId).filter((id) => !ended.has(id)),
      last: Number(rows.at(-1)?.seq ?? seen),
    };
  });
}

function findProblems(acknowledged: ReadonlyMap<string, string>, { mails, events, calls, results }: Round): string[] {
  const ids = new Map(mails.map(({ id, subject }) => [subject, id]));
  const times = countBy(mails, ({ subject }) => subject);
  return [
    ...[...acknowledged].filter(([subject, id]) => ids.get(subject) !== id).map(([subject]) => `${subject} is lost`),
    ...[...acknowledged]
      .filter(([subject, id]) => !results.get(calls.get(subject) ?? '')?.includes(id))
      .map(([subject]) => `${subject} was acknowledged before its result was in the log`),
    ...mails.filter(({ subject }) => !calls.has(subject)).map(({ subject }) => `${subject} has no call in the log`),
    ...mails.filter(({ id }) => events.get(id) !== 1).map(({ subject }) => `${subject} has not one event`),
    ...[...times].filter(([, count]) => count > 1).map(([subject]) => `${subject} is there twice`),
  ];
}

async function checkIntegrity(database: Database): Promise<string> {
  if (database.kind === 'postgres') return 'ok';
  const { rows } = await database.read((db) => sql<{ integrity_check: string }>`pragma integrity_check`.execute(db));
  return rows.map((row) => row.integrity_check).join(' ');
}

async function callsWithoutOneEnd(database: Database): Promise<string[]> {
  const rows = await database.read(readDecisions);
  const ends = countBy(
    rows.filter(({ kind }) => kind !== 'invocation'),
    ({ callId }) => callId,
  );
  const begun = rows.filter(({ kind }) => kind === 'invocation');
  return begun
    .filter(({ callId }) => ends.get(callId) !== 1)
    .map(({ callId }) => `${callId} ended ${ends.get(callId) ?? 0} times`);
}
