import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openNats, type TestNats } from '../../test/support/databases/nats-server.ts';
import { openPostgresPooler } from '../../test/support/databases/postgres-pooler.ts';
import { newTestDatabase } from '../../test/support/databases/test-database.ts';
import { silentLogger } from '../base/logger.ts';
import type { Change } from './change-bus.ts';
import type { Database } from './database.ts';
import { openPostgres } from './postgres/postgres.ts';

const token = 'token-of-the-test';
let nats: TestNats;
let url: string;
let opened: Database[];
beforeEach(async () => {
  nats = await openNats({ token });
  const { db } = await newTestDatabase('postgres');
  url = 'url' in db ? db.url : '';
  opened = [];
});
afterEach(async () => {
  await Promise.all(opened.map((database) => database.close()));
  await nats.close();
});

async function open(busUrl = nats.url, at = url): Promise<Database> {
  const database = await openPostgres({ url: at, busUrl, logger: silentLogger });
  opened.push(database);
  return database;
}

function changesOf(database: Database): Change[] {
  const told: Change[] = [];
  database.changes.on((change) => told.push(change));
  return told;
}

it('notices travel over NATS behind a pooler in transaction mode, and stay in their database', async () => {
  const pooler = await openPostgresPooler(url);
  const { db } = await newTestDatabase('postgres');
  const [here, there] = [await open(nats.url, pooler.url), await open(nats.url, pooler.url)];
  const elsewhere = await open(nats.url, 'url' in db ? db.url : '');
  for (const each of opened) {
    await each.changes.arrival?.check();
    expect(each.changes.arrival).toMatchObject({ way: 'nats', problem: undefined });
  }
  const [own, told, others] = [changesOf(here), changesOf(there), changesOf(elsewhere)];
  await here.write(async ({ changed }) => changed('members', 'größe'));
  await vi.waitFor(() => expect(told).toEqual([{ topic: 'members', ids: ['größe'] }]));
  await elsewhere.write(async ({ changed }) => changed('work'));
  expect(own).toEqual([{ topic: 'members', ids: ['größe'] }]);
  expect(others).toEqual([{ topic: 'work', ids: [] }]);
  await Promise.all(opened.splice(0).map((database) => database.close()));
  await pooler.close();
});

it('while the NATS server is away, changes are found by looking, and the hub says so without the token', async () => {
  const [here, there] = [await open(), await open()];
  await there.changes.arrival?.check();
  const told = changesOf(there);
  nats.fail();
  await vi.waitFor(() => expect(there.changes.arrival?.way).toBe('poll'));
  await here.write(async ({ changed }) => changed('members', 'one'));
  await vi.waitFor(() => expect(told).toEqual([{ topic: 'members', ids: ['one'] }]));
  await there.changes.arrival?.check();
  expect(there.changes.arrival?.problem).toMatch(/NATS server 127.0.0.1:\d+ .*bus_url/);
  expect(there.changes.arrival?.problem).not.toContain(token);
  nats.heal();
  await vi.waitFor(() => expect(there.changes.arrival).toMatchObject({ way: 'nats', problem: undefined }));
});

it('a server that passes nothing on, or refuses the token, is not trusted', async () => {
  const refused = await open(nats.url.replace(token, 'wrong'));
  await refused.changes.arrival?.check();
  expect(refused.changes.arrival).toMatchObject({
    way: 'poll',
    problem: expect.stringContaining('Authorization Violation'),
  });
  nats.isDeaf = true;
  const deaf = await open();
  await deaf.changes.arrival?.check();
  expect(deaf.changes.arrival).toMatchObject({ way: 'poll', problem: expect.stringContaining('do not come back') });
});

it('a wrong address is refused without being repeated', async () => {
  await expect(open('nats://')).rejects.toThrow(/^\[db\] bus_url is not a NATS URL/);
});
