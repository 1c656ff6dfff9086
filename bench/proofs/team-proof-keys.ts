import { Agent } from 'node:http';
import {
  countBy,
  firstProblems,
  type ProofPlace,
  type ProofServer,
  postExecute,
  prepareTeam,
  readTables,
  spawnServer,
} from './team-proof-parts.ts';

export interface KeyProof {
  /** Answers that were given, and mails that are there. */
  answers: number;
  effects: number;
  /** Calls that were answered with 503 and made again. */
  repeated: number;
  problems: string[];
}

const keysAtOnce = 6;
const maxRepeats = 100;

/** Two servers on one database; for each key several calls at the same time, spread over both. One effect and one answer each. */
export async function callsWithKeys(options: ProofPlace & { keys: number; callsPerKey: number }): Promise<KeyProof> {
  const { keys, callsPerKey } = options;
  const token = (await prepareTeam({ ...options, members: [{ id: 'worker' }, { id: 'boss' }] })).get('worker') ?? '';
  const waiting = [spawnServer(options.folder), spawnServer(options.folder)];
  const agent = new Agent({ keepAlive: true });
  const proof: KeyProof = { answers: 0, effects: 0, repeated: 0, problems: [] };
  try {
    const servers = await Promise.all(waiting.map((each) => each.begin()));
    let next = 0;
    await Promise.all(
      Array.from({ length: keysAtOnce }, async () => {
        while (next < keys) await callTogether(servers, `key-${next++}`);
      }),
    );
  } finally {
    agent.destroy();
    await Promise.all(waiting.map((each) => each.kill()));
  }
  const { mails, events, answers } = await readTables(options, async (db) => ({
    mails: await db.selectFrom('mails').select(['id', 'subject']).execute(),
    events: await db.selectFrom('events').select('data').execute(),
    answers: await db.selectFrom('idempotency_keys').select(['key', 'answer']).execute(),
  }));
  proof.effects = mails.length;
  const times = countBy(mails, ({ subject }) => subject);
  const eventsOf = countBy(events, ({ data }) => String(JSON.parse(data).mailId));
  proof.problems.push(
    ...[...times].filter(([, count]) => count !== 1).map(([subject, count]) => `"${subject}" is there ${count} times`),
    ...mails.filter(({ id }) => eventsOf.get(id) !== 1).map(({ subject }) => `"${subject}" has not one event`),
    ...answers.filter(({ answer }) => answer === null).map(({ key }) => `${key} has no answer`),
  );
  return { ...proof, problems: firstProblems(proof.problems) };

  async function callTogether(servers: readonly ProofServer[], key: string): Promise<void> {
    const calls = Array.from({ length: callsPerKey }, (_, index) => {
      const server = servers[index % servers.length];
      if (!server) throw new Error('There is no server.');
      return call(server, key, index);
    });
    const given = await Promise.all(calls);
    proof.answers += given.length;
    const different = new Set(given);
    if (different.size !== 1) proof.problems.push(`${key} has ${different.size} answers: ${[...different].join(' ')}`);
  }

  /** A key comes in the body, in the header or in the input: it is the same one. */
  async function call({ port }: ProofServer, key: string, index: number): Promise<string> {
    const input = {
      toAgentId: 'boss',
      subject: `About ${key}`,
      body: 'Text.',
      ...(index % 3 === 2 && { idempotencyKey: key }),
    };
    const body = {
      agentId: 'worker',
      toolName: 'mcp__mail__send',
      input,
      ...(index % 3 === 0 && { idempotencyKey: key }),
    };
    const headers: Record<string, string> = index % 3 === 1 ? { 'idempotency-key': key } : {};
    for (let repeats = 0; repeats < maxRepeats; repeats += 1) {
      const answer = await postExecute(agent, port, { token, body, headers });
      if (answer.status !== 503) return JSON.stringify(answer.body.data ?? answer.body.error);
      proof.repeated += 1;
    }
    return 'none';
  }
}
