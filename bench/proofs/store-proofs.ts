import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { Agent } from '../../src/agents/agent.ts';
import { systemClock } from '../../src/base/clock.ts';
import { silentLogger } from '../../src/base/logger.ts';
import { unpackEntries } from '../../src/decisions/decision-group.ts';
import { openStore } from '../../src/store/open-store.ts';

const writerScript = fileURLToPath(new URL('../../test/support/databases/store-writer.ts', import.meta.url));

/** A save that the store acknowledged. */
interface Acknowledged {
  callId: string;
  agentId: string;
  revision: number;
}

export interface ProofResult {
  acknowledged: number;
  /** Of the acknowledged ones: with their version and their row in the decision log. */
  stored: number;
  integrity: string;
}

/** Several processes save to one file at the same time; every one must end well. */
export async function saveFromProcesses(options: {
  path: string;
  processes: number;
  saves: number;
}): Promise<ProofResult> {
  await makeSharedAgent(options.path);
  const names = Array.from({ length: options.processes }, (_, index) => `process${index}`);
  const outputs = await Promise.all(
    names.map(async (name) => {
      const child = startWriter(options.path, name, options.saves);
      const [output, errors, [code]] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        once(child.process, 'exit'),
      ]);
      if (code !== 0) throw new Error(`Writer ${name} ended with ${code}:\n${errors}`);
      return output;
    }),
  );
  return check(options.path, outputs.flatMap(parseLines));
}

/** In each round a process saves until it is killed with no warning, a random number of saves after its first. */
export async function killDuringSaves(options: { path: string; rounds: number }): Promise<ProofResult> {
  await makeSharedAgent(options.path);
  const acknowledged: Acknowledged[] = [];
  let result: ProofResult = { acknowledged: 0, stored: 0, integrity: 'ok' };
  for (let round = 0; round < options.rounds && result.integrity === 'ok'; round += 1) {
    const child = startWriter(options.path, `round${round}`, 1_000_000);
    const exited = once(child.process, 'exit');
    const enough = 1 + Math.floor(Math.random() * 40);
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
      if (output.split('\n').length > enough) child.process.kill('SIGKILL');
    });
    const [errors, [, signal]] = await Promise.all([text(child.stderr), exited, once(child.stdout, 'close')]);
    if (signal !== 'SIGKILL') throw new Error(`Writer of round ${round} ended by itself:\n${errors}`);
    acknowledged.push(...parseLines(output));
    result = check(options.path, acknowledged);
    if (result.stored !== result.acknowledged) return result;
  }
  return result;
}

async function makeSharedAgent(path: string): Promise<void> {
  const store = await openStore({ db: { path }, clock: systemClock, logger: silentLogger });
  await store.agents.create(Agent.parse({ id: 'shared', name: 'Shared', source: 'store' }));
  await store.close();
}

function startWriter(path: string, name: string, saves: number) {
  const child = spawn(process.execPath, [writerScript, path, name, String(saves)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return { process: child satisfies ChildProcess, stdout: child.stdout, stderr: child.stderr };
}

/** The last line of a killed process may be cut short; only a whole one counts. */
function parseLines(output: string): Acknowledged[] {
  const lines = output.split('\n').slice(0, -1);
  return lines.map((line) => {
    const [callId = '', agentId = '', revision = ''] = line.split(' ');
    return { callId, agentId, revision: Number(revision) };
  });
}

function check(path: string, acknowledged: readonly Acknowledged[]): ProofResult {
  const database = new DatabaseSync(path, { timeout: 5000 });
  try {
    const version = database.prepare(
      `select 1 from agent_versions where agent_id = ? and revision = ? and json_extract(data, '$.name') = ?`,
    );
    const groups = database.prepare('select entries from decision_groups').all();
    const entries = groups.flatMap((group) => unpackEntries(String(group.entries)));
    const logged = new Set(entries.map((entry) => entry?.callId));
    const stored = acknowledged.filter(
      ({ callId, agentId, revision }) => version.get(agentId, revision, callId) && logged.has(callId),
    );
    const integrity = String(database.prepare('pragma integrity_check').get()?.integrity_check);
    return { acknowledged: acknowledged.length, stored: stored.length, integrity };
  } finally {
    database.close();
  }
}
