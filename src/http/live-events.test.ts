import { afterEach, describe, expect, it } from 'vitest';
import { AgentRegistry } from '../agents/agent-registry.ts';
import type { BrainStore } from '../agents/brain.ts';
import { defineAgent } from '../agents/define-agent.ts';
import type { Clock } from '../base/clock.ts';
import { EventChannel } from '../base/events.ts';
import type { Knowledge } from '../knowledge/knowledge.ts';
import type { ServersChange } from '../servers/external-servers.ts';
import type { Team } from '../team/team.ts';
import type { DecisionHistory } from '../tools/decision-log.ts';
import { ToolRegistry } from '../tools/tool-registry.ts';
import { type LiveEvents, liveEvents } from './live-events.ts';

/** A clock whose sleepers wake when told. */
function handClock(): Clock & { wake(): void; slept: number[] } {
  let wake = () => {};
  const slept: number[] = [];
  return {
    now: () => 0,
    slept,
    wake: () => wake(),
    sleep: (milliseconds, signal) => {
      slept.push(milliseconds);
      return new Promise((resolve, reject) => {
        wake = resolve;
        signal?.addEventListener('abort', () => reject(signal.reason));
      });
    },
  };
}

/** Only `events` is used of the knowledge base. */
const knowledge = { events: new EventChannel() } as unknown as Knowledge;
/** Only their news are used. */
const team = { changes: new EventChannel() } as unknown as Team;
const decisions = { watch: () => () => {} } as unknown as DecisionHistory;
const serverChanges = new EventChannel<ServersChange>();
const noBrain: Pick<BrainStore, 'watch'> = { watch: () => () => {} };

function start() {
  const agents = new AgentRegistry();
  const clock = handClock();
  // Only `watch` is used of the brain.
  const brain = noBrain as BrainStore;
  const events = liveEvents({
    agents,
    brain,
    knowledge,
    tools: new ToolRegistry(),
    team,
    decisions,
    clock,
    servers: { changes: serverChanges },
    store: { chats: { watch: () => () => {} } },
  });
  open.push(events);
  return { agents, clock, events };
}

const open: LiveEvents[] = [];
afterEach(() => {
  for (const events of open.splice(0)) events.close();
});

async function readAll(stream: ReadableStream<Uint8Array>): Promise<string> {
  return new Response(stream).text();
}

describe('live events', () => {
  it('let a page go that does not read, and keep the others', async () => {
    const { agents, events } = start();
    const sleepy = events.connect();
    for (let index = 0; index < 300; index += 1) agents.register(defineAgent({ name: `agent-${index}` }));
    expect(events.clients).toBe(0);
    const text = await readAll(sleepy);
    expect(text.match(/event: agents/g)).toHaveLength(255);

    const awake = events.connect();
    agents.register(defineAgent({ name: 'one-more' }));
    expect(events.clients).toBe(1);
    events.close();
    expect(await readAll(awake)).toBe(
      'retry: 1000\n\nevent: agents\ndata: {"type":"agents","changed":["one-more"],"removed":[]}\n\n',
    );
  });

  it('refuse more pages than they can serve', () => {
    const { events } = start();
    for (let index = 0; index < 500; index += 1) events.connect();
    expect(() => events.connect()).toThrow(/500 pages/);
    expect(events.clients).toBe(500);
  });

  it('forget a page that leaves', async () => {
    const { events } = start();
    const stream = events.connect();
    await stream.cancel();
    expect(events.clients).toBe(0);
  });

  it('give a sign of life every 15 seconds', async () => {
    const { clock, events } = start();
    const stream = events.connect();
    clock.wake();
    await Promise.resolve();
    await Promise.resolve();
    expect(clock.slept).toEqual([15_000, 15_000]);
    events.close();
    expect(await readAll(stream)).toBe('retry: 1000\n\n: still here\n\n');
  });

  it('listen to nothing after they are closed', () => {
    const { agents, events } = start();
    expect(agents.changes.size).toBe(1);
    events.close();
    expect(agents.changes.size).toBe(0);
    expect(() => events.connect()).toThrow();
  });
});
