import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import type { Fleet } from './fleet.ts';
import { McpSession } from './mcp-session.ts';

export interface SessionLoad {
  sessions: number;
  callsPerSession: number;
  inFlight: number;
  /** Kills one replica after the other, this often. */
  killEveryMs?: number;
}

export interface LoadResult {
  calls: number;
  kills: number;
  /** Requests that the killed replicas had. */
  underWay: number;
  /** Calls whose replica went away before it had replied. */
  lostReplies: number;
  /** Those of them that broke off, so that nobody could say whether the call may be repeated. */
  brokenReplies: number;
  /** Typed errors that say whether the call may be repeated. */
  typedErrors: number;
  acknowledgedWrites: number;
  /** Acknowledged, but not stored. */
  lostWrites: number;
  /** Stored twice. */
  doubledWrites: number;
  problems: string[];
}

const agentId = 'proof';
const prompt = `You are now Proof. Use agentId=${agentId} for all agent_zoo tool usage.\n\nSay what you know.`;

/** Many sessions work through the proxy, each on whatever replica comes next, while replicas are killed and started again. */
export async function runSessionLoad(fleet: Fleet, database: string, load: SessionLoad): Promise<LoadResult> {
  await createProofAgent(fleet);
  const result: LoadResult = {
    calls: 0,
    kills: 0,
    underWay: 0,
    lostReplies: 0,
    brokenReplies: 0,
    typedErrors: 0,
    acknowledgedWrites: 0,
    lostWrites: 0,
    doubledWrites: 0,
    problems: [],
  };
  const acknowledged = new Set<string>();
  const stop = new AbortController();
  const killing = load.killEveryMs === undefined ? undefined : killInTurn(fleet, load.killEveryMs, stop.signal);
  let next = 0;
  const worker = async () => {
    while (next < load.sessions) {
      next += 1;
      await workThrough(fleet, { session: next, calls: load.callsPerSession, result, acknowledged });
    }
  };
  await Promise.all(Array.from({ length: load.inFlight }, worker));
  stop.abort();
  Object.assign(result, await killing);
  fleet.checkAlive();
  result.acknowledgedWrites = acknowledged.size;
  const stored = await storedContents(database);
  for (const content of acknowledged) {
    const times = stored.get(content) ?? 0;
    if (times === 0) result.lostWrites += 1;
    if (times > 1) result.doubledWrites += 1;
  }
  return result;
}

interface Work {
  session: number;
  calls: number;
  result: LoadResult;
  acknowledged: Set<string>;
}

/** Writes to the agent's memory and injects the agent in turns. */
async function workThrough(fleet: Fleet, { session: number, calls, result, acknowledged }: Work): Promise<void> {
  const session = await McpSession.open(fleet.url, fleet.owner);
  for (let call = 0; call < calls; call += 1) {
    const isWrite = call % 3 === 0;
    const content = `entry ${number}-${call}`;
    const outcome = isWrite
      ? await session.call('agent_zoo_create_brain_entry', { agentId, type: 'note', content })
      : await session.call('agent_zoo_inject', { agentId });
    result.calls += 1;
    if (outcome.kind === 'lost') {
      result.lostReplies += 1;
      if (outcome.retryable !== false) result.brokenReplies += 1;
    } else if (outcome.kind === 'error' && typeof outcome.retryable === 'boolean') result.typedErrors += 1;
    else if (outcome.kind === 'error') note(result, `session ${number}, call ${call}: ${outcome.text}`);
    else if (isWrite) acknowledged.add(content);
    else if (!outcome.text.includes(JSON.stringify(prompt).slice(1, -1)))
      note(result, `session ${number}, call ${call} got a wrong answer: ${outcome.text.slice(0, 200)}`);
  }
}

function note({ problems }: LoadResult, problem: string): void {
  if (problems.length < 20) problems.push(problem);
}

async function killInTurn(
  fleet: Fleet,
  everyMs: number,
  signal: AbortSignal,
): Promise<Pick<LoadResult, 'kills' | 'underWay'>> {
  let kills = 0;
  let underWay = 0;
  while (!signal.aborted) {
    await setTimeout(everyMs, undefined, { signal }).catch(() => {});
    if (signal.aborted) break;
    const index = kills % fleet.addresses.length;
    underWay += await fleet.kill(index);
    kills += 1;
    await fleet.start(index);
  }
  return { kills, underWay };
}

/** The agent that the sessions inject. */
export async function createProofAgent({ url, owner }: Fleet): Promise<void> {
  const response = await fetch(`${url}/api/agents`, {
    method: 'POST',
    headers: { ...owner, 'content-type': 'application/json' },
    body: JSON.stringify({ id: agentId, name: 'Proof', systemPrompt: 'Say what you know.', tools: ['agent_zoo_*'] }),
  });
  if (response.status !== 201 && response.status !== 409)
    throw new Error(`The agent could not be created: ${await response.text()}`);
}

/** Returns how often each memory entry is stored. */
async function storedContents(database: string): Promise<Map<string, number>> {
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  const { rows } = await client.query<{ content: string; times: number }>(
    'select content, count(*)::int as times from brain_entries group by content',
  );
  await client.end();
  return new Map(rows.map(({ content, times }) => [content, times]));
}
