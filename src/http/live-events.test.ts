import { afterEach, describe, expect, it } from 'vitest';
import { AgentRegistry } from '../agents/agent-registry.ts';
import { defineAgent } from '../agents/define-agent.ts';
import { ChangeChannel } from '../base/changes.ts';
import type { Clock } from '../base/clock.ts';
import { EventChannel } from '../base/events.ts';
import type { KnowledgeEvent } from '../knowledge/knowledge.ts';
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

function start() {
  const agents = new AgentRegistry();
  const clock = handClock();
  const knowledge = { events: new EventChannel<KnowledgeEvent>() };
  const changes = new ChangeChannel(
    [
      {
        topics: ['agents'],
        watch: (tell) => agents.changes.on(({ changed }) => tell({ topic: 'agents', ids: changed })),
      },
    ],
    () => {},
  );
  const events = liveEvents({ changes, knowledge, clock });
  open.push(events);
  return { agents, knowledge, clock, events };
}

const open: LiveEvents[] = [];
afterEach(() => {
  for (const events of open.splice(0)) events.close();
});

async function readAll(stream: ReadableStream<Uint8Array>): Promise<string> {
  return new Response(stream).text();
}

describe('live events', () => {
  it('disconnect a page that does not read, and keep the others', async () => {
    const { agents, events } = start();
    const sleepy = events.connect();
    for (let index = 0; index < 300; index += 1) agents.register(defineAgent({ name: `agent-${index}` }));
    expect(events.clients).toBe(0);
    const text = await readAll(sleepy);
    expect(text.match(/event: change/g)).toHaveLength(255);

    const awake = events.connect();
    agents.register(defineAgent({ name: 'one-more' }));
    expect(events.clients).toBe(1);
    events.close();
    expect(await readAll(awake)).toBe('retry: 1000\n\nevent: change\ndata: {"topic":"agents","ids":["one-more"]}\n\n');
  });

  it('report the progress of a sync and what it changed', async () => {
    const { knowledge, events } = start();
    const page = events.connect();
    knowledge.events.emit({ type: 'changed' });
    knowledge.events.emit({ type: 'embedding', progress: { embedded: 1, pending: 2 }, done: false });
    events.close();
    expect(await readAll(page)).toBe(
      'retry: 1000\n\nevent: progress\ndata: {"type":"embedding","progress":{"embedded":1,"pending":2},"done":false}\n\n',
    );
  });

  it('refuse more pages than they can serve', () => {
    const { events } = start();
    for (let index = 0; index < 500; index += 1) events.connect();
    expect(() => events.connect()).toThrow(/500 pages/);
    expect(events.clients).toBe(500);
  });

  it('forget a page that disconnects', async () => {
    const { events } = start();
    const stream = events.connect();
    await stream.cancel();
    expect(events.clients).toBe(0);
  });

  it('send a heartbeat every 15 seconds', async () => {
    const { clock, events } = start();
    const stream = events.connect();
    clock.wake();
    await Promise.resolve();
    await Promise.resolve();
    expect(clock.slept).toEqual([15_000, 15_000]);
    events.close();
    expect(await readAll(stream)).toBe('retry: 1000\n\n: still here\n\n');
  });

  it('listen to the hub only while a page is open', async () => {
    const { agents, events } = start();
    expect(agents.changes.size).toBe(0);
    const pages = [events.connect(), events.connect()];
    expect(agents.changes.size).toBe(1);
    for (const page of pages) await page.cancel();
    expect(agents.changes.size).toBe(0);
  });

  it('do nothing after they are closed', () => {
    const { agents, events } = start();
    events.connect();
    expect(agents.changes.size).toBe(1);
    events.close();
    expect(agents.changes.size).toBe(0);
    expect(() => events.connect()).toThrow();
  });
});
