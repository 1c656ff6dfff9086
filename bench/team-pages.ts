import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { packEntry } from '../src/decisions/decision-group.ts';
import { createHub, type Hub, loadConfig } from '../src/index.ts';
import { human, NewMember } from '../src/team/members/member.ts';
import { automaticWords, type DecisionEntry } from '../src/tools/decision-log.ts';
import { type BenchRow, measureRounds, toRow } from './measure.ts';

const sizes = { few: 1_000, mails: 100_000, decisions: 1_000_000 };

/** Measures the first pages of long inboxes and logs against short ones, on SQLite. */
export async function benchPages(rounds: number): Promise<BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), 'agent-zoo-bench-'));
  try {
    const few = await openFilled(join(folder, 'few.db'), sizes.few, sizes.few);
    const many = await openFilled(join(folder, 'many.db'), sizes.mails, sizes.decisions);
    const rows = [
      await pageRow(rounds, `inbox of ${sizes.mails.toLocaleString('en')} mails`, few, many, (hub) =>
        hub.team.mail.inbox(human, { includeRead: true, limit: 50 }),
      ),
      await pageRow(rounds, `threads of ${sizes.mails.toLocaleString('en')} mails`, few, many, (hub) =>
        hub.team.mail.threads({ limit: 50 }),
      ),
      await pageRow(rounds, `log of ${sizes.decisions.toLocaleString('en')} entries`, few, many, (hub) =>
        hub.decisions.page({ limit: 50 }),
      ),
      // As many entries as the short log.
      await pageRow(rounds, '… errors of one member', few, many, (hub) =>
        hub.decisions.page({ limit: 5, agentId: 'worker-10', kind: 'error' }),
      ),
      await pageRow(rounds, '… one tool, one hour', few, many, (hub) =>
        hub.decisions.page({ limit: 50, tool: 'tool_3', since: 1_800_000_000_000, until: 1_800_003_600_000 }),
      ),
    ];
    await few.close();
    await many.close();
    return rows;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function pageRow(
  rounds: number,
  what: string,
  few: Hub,
  many: Hub,
  read: (hub: Hub) => Promise<unknown>,
): Promise<BenchRow> {
  const time = (hub: Hub) => async () => {
    const began = performance.now();
    for (let index = 0; index < 20; index += 1) await read(hub);
    return (performance.now() - began) / 20;
  };
  const times = await measureRounds(rounds, { few: time(few), many: time(many) });
  return toRow({
    what: `first page, ${what}`,
    floor: '1,000 rows',
    ratio: times.many / times.few,
    goal: 2,
    isAtLeast: false,
    detail: `${times.many.toFixed(2)} of ${times.few.toFixed(2)} ms (goal: under 20)`,
  });
}

/** Opens a hub that creates its tables, and inserts the rows with SQL, which is faster than a million calls. */
async function openFilled(path: string, mails: number, decisions: number): Promise<Hub> {
  const folder = tmpdir();
  const config = await loadConfig({ cwd: folder, env: { AGENT_ZOO_HOME: folder }, home: folder });
  const open = () => createHub({ config, db: { path }, watch: false });
  const first = await open();
  await first.team.members.add(NewMember.parse({ id: 'worker-1' }));
  await first.team.mail.send(human, { toAgentId: 'worker-1', subject: 'first', body: 'of all' });
  await first.close();
  fill(path, mails, decisions);
  const filled = await open();
  // Builds the index of the log, which would otherwise be part of the first page.
  await filled.decisions.tools();
  return filled;
}

function fill(path: string, mails: number, decisions: number): void {
  const database = new DatabaseSync(path);
  database.exec('begin');
  insertMails(database, mails);
  insertDecisions(database, decisions);
  database.exec('commit');
  database.close();
}

const numbers = 'with recursive n(i) as (select 1 union all select i + 1 from n where i < ?)';
const start = 1_800_000_000_000;
const groupEntries = 8;

/** Inserts mails to the user, each with its own thread. */
function insertMails(database: DatabaseSync, count: number): void {
  database
    .prepare(
      `${numbers} insert into mails (id, thread_id, from_agent_id, from_agent_type, recipient, at, read_at, escalation_count, subject, body)
       select 'mail_' || i, 'mail_' || i, 'worker-' || (i % 40), 'WORKER', '', ${start} + i * 1000, iif(i % 3, ${start}, null), 0,
         'About task ' || i, 'The build of task ' || i || ' waits for an answer.' from n`,
    )
    .run(count);
  database
    .prepare(
      `${numbers} insert into mail_threads (id, subject, participants, mails, unread_for_human, with_human, has_escalation, last_mail_id, last_at)
       select 'mail_' || i, 'About task ' || i, json_array('worker-' || (i % 40), null), 1, iif(i % 3, 0, 1), 1, 0, 'mail_' || i,
         ${start} + i * 1000 from n`,
    )
    .run(count);
}

/** Inserts groups like those of eight concurrent calls. */
function insertDecisions(database: DatabaseSync, count: number): void {
  const group = database.prepare(
    `insert into decision_groups (chain, first_no, row_count, first_at, last_at, hash, entries) values ('', 0, ?, ?, ?, '', ?)`,
  );
  for (let first = 1; first <= count; first += groupEntries) {
    const size = Math.min(groupEntries, count - first + 1);
    const entries = Array.from({ length: size }, (_, index) => benchEntry(first + index));
    const text = entries.map(packEntry).join('');
    group.run(size, entries[0]?.at ?? 0, entries.at(-1)?.at ?? 0, text);
  }
}

function benchEntry(number: number): DecisionEntry {
  const kind = number % 2 === 1 ? 'invocation' : number % 50 === 0 ? 'error' : 'result';
  const tool = `tool_${number % 30}`;
  return {
    callId: `call_${Math.floor(number / 2)}`,
    kind,
    at: start + number * 100,
    surface: 'http',
    persona: null,
    agentId: `worker-${number % 40}`,
    taskId: null,
    tool,
    decision: `${automaticWords[kind].decision}: ${tool}`,
    reasoning: automaticWords[kind].reasoning,
    context: JSON.stringify({ number, text: 'what the call was given' }),
  };
}
