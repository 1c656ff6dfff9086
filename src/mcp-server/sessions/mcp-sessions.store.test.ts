import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { databaseKinds } from '../../../test/support/databases/test-database.ts';
import { openTestStores, type TestStores } from '../../../test/support/databases/test-store.ts';
import type { McpSessionStore } from './session-store.ts';

describe.each(databaseKinds)('MCP sessions in %s', (kind) => {
  let stores: TestStores;
  beforeEach(async () => {
    stores = await openTestStores(kind);
  });
  afterEach(() => stores.remove());

  const later = () => stores.clock.time + 365 * 24 * 3_600_000;

  it('two processes change the state of one session, and neither undoes what the other has changed', async () => {
    const [one, other] = [stores.store.mcpSessions, stores.other.mcpSessions];
    const long = `x://${'a\0é'.repeat(3_000)}`;
    await Promise.all([
      one.change('s', { subscribed: 'x://a' }, later()),
      other.change('s', { subscribed: long }, later()),
      one.change('s', { subscribed: 'x://c' }, later()),
      other.change('other', { subscribed: 'x://b' }, later()),
    ]);
    await other.change('s', { unsubscribed: 'x://c' }, later());
    await one.change('s', { logLevel: 'error' }, later());
    await one.change('s', { logLevel: 'debug' }, later());
    const { uris, ...state } = await other.state('s');
    expect(new Set(uris)).toEqual(new Set(['x://a', long]));
    expect(state).toEqual({ isEnded: false, logLevel: 'debug' });
    await one.change('s', { ended: true }, later());
    expect(await other.state('s')).toMatchObject({ isEnded: true });
    expect(await other.state('unknown')).toEqual({ isEnded: false, logLevel: undefined, uris: [] });
  });

  it('a message to one process arrives there once, one to all arrives at all others', async () => {
    const [one, other] = [stores.store.mcpSessions, stores.other.mcpSessions];
    const announced = new Promise<readonly string[]>((resolve) => {
      stores.other.changes.on(({ topic, ids }) => topic === 'mcp' && resolve(ids));
    });
    const first = await one.send('s', { kind: 'replied', response: '{"a":"\\u0000"}' }, other.process());
    const second = await one.send('s', { kind: 'cancelled', requestId: 7 });
    expect(second).toBeGreaterThan(first);
    // SQLite tells other processes only that something has changed.
    expect([[], ['s']]).toContainEqual(await announced);
    expect(await one.receive()).toEqual({ messages: [], isMore: false });
    const fromOne = { sessionId: 's', from: one.process() };
    expect((await other.receive()).messages).toEqual([
      { ...fromOne, id: first, message: { kind: 'replied', response: '{"a":"\\u0000"}' } },
      { ...fromOne, id: second, message: { kind: 'cancelled', requestId: 7 } },
    ]);
    expect((await other.receive()).messages).toEqual([]);
  });

  it('messages to all processes are read in pages, and each of them once', async () => {
    const [one, other] = [stores.store.mcpSessions, stores.other.mcpSessions];
    const receive = async () => {
      const { messages, isMore } = await other.receive();
      return { isMore, numbers: messages.map(({ message }) => message.kind === 'cancelled' && message.requestId) };
    };
    const send = (from: McpSessionStore, requestId: number) => from.send('s', { kind: 'cancelled', requestId });
    await send(one, 1);
    expect(await receive()).toEqual({ isMore: false, numbers: [1] });
    for (let number = 2; number < 1_300; number += 1) await send(one, number);
    const [first, second] = [await receive(), await receive()];
    expect(first).toMatchObject({ isMore: true, numbers: { length: 1_000 } });
    expect([...first.numbers, ...second.numbers]).toEqual(Array.from({ length: 1_298 }, (_, index) => index + 2));
    expect(second.isMore).toBe(false);
    expect(await receive()).toEqual({ isMore: false, numbers: [] });
  });

  if (kind === 'postgres')
    it('a message that is committed after later ones is read, too', async () => {
      const [one, other] = [stores.store.mcpSessions, stores.other.mcpSessions];
      if (!('url' in stores.db)) throw new Error('PostgreSQL has an address.');
      const late = new pg.Client({ connectionString: stores.db.url });
      await late.connect();
      await late.query('begin');
      await late.query(
        `insert into mcp_messages (session_id, sender, target, body, at)
           values ('s', 'late', '', '{"kind":"changed"}', (extract(epoch from clock_timestamp()) * 1000)::bigint)`,
      );
      for (let number = 0; number < 300; number += 1) await one.send('s', { kind: 'cancelled', requestId: number });
      expect((await other.receive()).messages).toHaveLength(300);
      expect((await other.receive()).messages).toEqual([]);
      await late.query('commit');
      await late.end();
      expect((await other.receive()).messages).toMatchObject([{ from: 'late', message: { kind: 'changed' } }]);
      await one.send('s', { kind: 'cancelled', requestId: 300 });
      expect((await other.receive()).messages).toHaveLength(1);
      expect((await other.receive()).messages).toEqual([]);
    });

  it('a process knows which others know a session', async () => {
    const [one, other] = [stores.store.mcpSessions, stores.other.mcpSessions];
    expect(await one.others('shared')).toEqual([]);
    await other.join('shared', [one.process(), other.process()], Date.now() + 60_000);
    await one.join('shared', [one.process()], Date.now() + 60_000);
    expect(await one.others('shared')).toEqual([other.process()]);
    expect(await other.others('shared')).toEqual([one.process()]);
    await other.leave(['shared', 'unknown']);
    expect(await one.others('shared')).toEqual([]);
    expect(await other.state('shared')).toEqual({ isEnded: false, logLevel: undefined, uris: [] });
  });

  it('the events of a finished stream can be read by any process', async () => {
    await stores.store.mcpSessions.keepEvents('s', 'p.s1', '[1]');
    expect(await stores.other.mcpSessions.events('s', 'p.s1')).toBe('[1]');
    expect(await stores.other.mcpSessions.events('t', 'p.s1')).toBeUndefined();
    expect(await stores.other.mcpSessions.events('s', 'p.s2')).toBeUndefined();
  });
});
