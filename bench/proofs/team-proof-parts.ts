import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { type Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Kysely } from 'kysely';
import type { z } from 'zod';
import { silentLogger } from '../../src/base/logger.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import type { Tables } from '../../src/db/tables.ts';
import { createHub, type Hub } from '../../src/hub.ts';
import { openDatabase } from '../../src/store/open-store.ts';
import { NewMember } from '../../src/team/members/member.ts';

/** Where the processes of a proof meet: each reads its config, and with it the database, from the folder. */
export interface ProofPlace {
  folder: string;
  db: { path: string } | { url: string };
}

/** Writes the config and adds the members; their tokens by id. */
export async function prepareTeam(
  place: ProofPlace & { members: readonly z.input<typeof NewMember>[]; settings?: string },
): Promise<Map<string, string>> {
  await mkdir(place.folder, { recursive: true });
  const db = Object.entries(place.db).map(([name, value]) => `${name} = ${JSON.stringify(value)}\n`);
  await writeFile(join(place.folder, 'zoo.toml'), `[db]\n${db.join('')}\n${place.settings ?? ''}`);
  const hub = await openProofHub(place.folder);
  const tokens = new Map<string, string>();
  for (const each of place.members) {
    const { member, token } = await hub.team.members.add(NewMember.parse(each));
    tokens.set(member.id, token ?? '');
  }
  await hub.close();
  return tokens;
}

export async function openProofHub(folder: string): Promise<Hub> {
  const config = await loadConfig({ cwd: folder, env: { AGENT_ZOO_HOME: folder }, home: folder });
  return createHub({ config, watch: false });
}

/** Reads the tables as they are, past the store. */
export async function readTables<T>(place: ProofPlace, read: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
  const database = await openDatabase(place.db, silentLogger);
  try {
    return await database.read(read);
  } finally {
    await database.close();
  }
}

export interface ProofServer {
  process: ChildProcess;
  port: number;
  /** Calls that it found without an outcome when it started. */
  closedCalls: string[];
  /** With no warning. */
  kill(): Promise<void>;
}

export interface WaitingServer {
  /** Opens the database and listens. */
  begin(): Promise<ProofServer>;
  kill(): Promise<void>;
}

/** Where Node itself puts what it has compiled: children of a proof are many, and load the same files. */
export const childEnv = { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache') };

/** How PostgreSQL knows the connections of servers. */
export const serverName = 'team-server';
const serverScript = fileURLToPath(new URL('../../test/support/team/team-server.ts', import.meta.url));

/** A server in a process of its own that has loaded everything and waits for the word: the loading is no part of a proof. */
export function spawnServer(folder: string): WaitingServer {
  const child = spawn(process.execPath, [serverScript, folder], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...childEnv, PGAPPNAME: serverName },
  });
  const exited = once(child, 'exit');
  const kill = async () => {
    child.kill('SIGKILL');
    await exited;
  };
  return {
    kill,
    async begin() {
      child.stdin.on('error', () => {}).write('begin\n');
      let said = '';
      for await (const chunk of child.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
        said += chunk;
        if (said.endsWith('\n')) break;
      }
      if (!said.endsWith('\n')) throw new Error('A server of the proof ended before it listened.');
      return { ...(JSON.parse(said) as { port: number; closedCalls: string[] }), process: child, kill };
    },
  };
}

export interface ExecuteAnswer {
  status: number;
  body: { success: boolean; data?: Record<string, unknown>; error?: { code: string; message: string } };
}

/** `POST /mcp/execute`. Rejects when the server goes away before the whole answer is here. */
export function postExecute(
  agent: Agent,
  port: number,
  call: { token: string; body: object; headers?: Record<string, string> },
): Promise<ExecuteAnswer> {
  return new Promise((resolve, reject) => {
    const payload = Buffer.from(JSON.stringify(call.body));
    const headers = {
      authorization: `Bearer ${call.token}`,
      'content-type': 'application/json',
      'content-length': payload.length,
      ...call.headers,
    };
    const sent = request(
      { agent, host: '127.0.0.1', port, path: '/mcp/execute', method: 'POST', headers },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('error', reject);
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) }));
      },
    );
    sent.on('error', reject);
    sent.end(payload);
  });
}

/** At most ten of a kind are worth reading. */
export function firstProblems(problems: readonly string[]): string[] {
  const rest = problems.length - 10;
  return rest <= 0 ? [...problems] : [...problems.slice(0, 10), `and ${rest} more`];
}

export function countBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1);
  return counts;
}
