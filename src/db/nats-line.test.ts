import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openNats, type TestNats } from '../../test/support/databases/nats-server.ts';
import { openPostgresPooler } from '../../test/support/databases/postgres-pooler.ts';
import { newTestDatabase } from '../../test/support/databases/test-database.ts';
import { silentLogger } from '../base/logger.ts';
import type { Change } from './change-bus.ts';
import type { Database } from './database.ts';
import { NatsLine } from './nats-line.ts';
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
  nats.token = 'wrong';
  await vi.waitFor(() => expect(refused.changes.arrival?.way).toBe('nats'), { timeout: 20_000 });
  nats.token = token;
  nats.isDeaf = true;
  const deaf = await open();
  await deaf.changes.arrival?.check();
  expect(deaf.changes.arrival).toMatchObject({ way: 'poll', problem: expect.stringContaining('do not come back') });
});

it('a forged notice makes a process look for changes, and nothing else', async () => {
  const [here, there] = [await open(), await open()];
  for (const each of opened) await each.changes.arrival?.check();
  const told = changesOf(there);
  await here.write(async ({ changed }) => changed('members', 'one'));
  await vi.waitFor(() => expect(told).toEqual([{ topic: 'members', ids: ['one'] }]));
  const subject = 'agent_zoo.changed';
  const scope = nats.sent.find((each) => each.subject === subject)?.payload.split(' ')[0];
  const number = 2 ** 53;
  const rows = Array.from({ length: 200 }, (_, row) => row + 1);
  const forged = [{ topic: 'keys', ids: [], number, rows }, { topic: 'vault', ids: [], number }, { topic: 'nothing' }];
  const before = there.changes.version('keys');
  for (const text of [JSON.stringify(forged), 'null', '[null]', '[{"rows":{}}]', '{'])
    nats.publish(subject, `${scope} ${text}`);
  await here.write(async ({ changed, bump }) => {
    changed('keys', 'revoked');
    await bump('vault');
  });
  const real = [
    { topic: 'members', ids: ['one'] },
    { topic: 'keys', ids: ['revoked'] },
    { topic: 'vault', ids: [] },
  ];
  await vi.waitFor(() => expect(told.length).toBeGreaterThanOrEqual(real.length));
  expect(told).toEqual(real);
  expect(there.changes.version('keys')).not.toBe(before);
  expect(there.changes.version('vault')).toBe(1);
});

it('malformed input closes the connection with a reason in the log, and the pauses before the next ones grow', async () => {
  const warn = vi.fn();
  const pauses = vi.spyOn(globalThis, 'setTimeout');
  const line = new NatsLine({
    url: new URL(nats.url),
    scope: () => 'scope',
    onNotice: vi.fn(),
    onChange: vi.fn(),
    logger: { ...silentLogger, warn },
  });
  const { greeting } = nats;
  for (nats.greeting of ['INFO {\r\n', 'INFO null\r\n', 'HTTP/1.1 400\r\n', 'x'.repeat(100_000)]) {
    await line.prove();
    expect(line).toMatchObject({ isProven: false, problem: expect.stringContaining('malformed') });
  }
  nats.greeting = greeting;
  await line.prove();
  expect(line.isProven).toBe(true);
  for (const text of ['MSG a 1 x\r\n', 'MSG a 1 -9\r\n', 'MSG a 1 99999999\r\n', 'WHAT\r\n', 'y'.repeat(100_000)]) {
    warn.mockClear();
    nats.say(text);
    await vi.waitFor(() => expect(warn).toHaveBeenCalledWith({}, expect.stringMatching(/127.0.0.1:\d+ .*malformed/)));
    expect(JSON.stringify(warn.mock.calls)).not.toContain(token);
    await line.prove();
    expect(line.isProven).toBe(true);
  }
  const delays = pauses.mock.calls.map(([, delay]) => delay);
  for (const delay of [100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000]) expect(delays).toContain(delay);
  pauses.mockRestore();
  await line.close();
});

it('a wrong address is refused without being repeated', async () => {
  await expect(open('nats://')).rejects.toThrow(/^\[db\] bus_url is not a NATS URL/);
});
