import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { testAgent } from '../../test/support/databases/test-store.ts';
import { systemClock } from '../base/clock.ts';
import { silentLogger } from '../base/logger.ts';
import { openStore } from '../store/open-store.ts';
import { findGreeting, type GreetingPlace, greetingKeeper } from './kept-greeting.ts';
import { greet } from './mcp-front.ts';

const greeting = { initialize: { '2025-11-25': '{"kept":"hello"}' }, tools: '{"tools":["kept"]}' };
let folder: string;
let database: string;
let place: GreetingPlace;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'zoo-front-'));
  database = join(folder, 'zoo.sqlite');
  place = { cwd: folder, env: { AGENT_ZOO_HOME: folder }, home: folder, agent: undefined, member: undefined };
  await saveAgent('first');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const open = (path = database) => openStore({ db: { path }, clock: systemClock, logger: silentLogger });

async function saveAgent(id: string, path = database): Promise<void> {
  const store = await open(path);
  await store.agents.create(testAgent(id));
  await store.close();
}

function keepGreeting(at: GreetingPlace): void {
  greetingKeeper(at).before(database)(greeting);
}

const config = (text: string) => writeFile(join(folder, 'zoo.toml'), text);

describe('a kept greeting', () => {
  it('is found again, after a clean end, beside a running hub, and with a plain config', async () => {
    keepGreeting(place);
    expect(findGreeting(place)).toEqual(greeting);
    const store = await open();
    expect(findGreeting(place)).toEqual(greeting);
    await store.brain.create('first', { type: 'note', content: 'Changes no list.' });
    expect(findGreeting(place)).toEqual(greeting);
    await config('[server]\nbind = "127.0.0.1:7400"\n');
    expect(findGreeting(place)).toBeUndefined();
    keepGreeting(place);
    expect(findGreeting(place)).toEqual(greeting);
    await store.close();
  });

  const changes: [string, () => unknown][] = [
    ['another agent', () => saveAgent('second')],
    ['another view', () => (place = { ...place, agent: 'first' })],
    ['another member', () => (place = { ...place, member: 'first' })],
    ['a config', () => config('')],
    ['PostgreSQL', () => (place = { ...place, env: { ...place.env, DATABASE_URL: 'postgres://x/y' } })],
    ['a config that is named and is not there', () => (place = { ...place, explicitFile: 'none.toml' })],
    ['a deleted database', () => rm(database)],
    ['a database that is none', () => writeFile(database, 'text')],
    ['a broken file of greetings', () => writeFile(join(folder, 'cache', 'greetings.json'), '[{')],
    [
      'another database under its name',
      async () => {
        await saveAgent('other', join(folder, 'other.sqlite'));
        await copyFile(join(folder, 'other.sqlite'), database);
      },
    ],
  ];
  it.each(changes)('is not used with %s', async (_, change) => {
    keepGreeting(place);
    expect(findGreeting(place)).toEqual(greeting);
    await change();
    expect(findGreeting(place)).toBeUndefined();
  });

  it('is not used where the database changed while the greeting was made', async () => {
    const keep = greetingKeeper(place).before(database);
    await saveAgent('second');
    keep(greeting);
    expect(findGreeting(place)).toBeUndefined();
  });

  it('is not used where the config changed after the hub was started', async () => {
    await config('[server]\nbind = "127.0.0.1:7400"\n');
    const keeper = greetingKeeper(place);
    await config('[server]\nbind = "127.0.0.1:7401"\n');
    keeper.before(database)(greeting);
    expect(findGreeting(place)).toBeUndefined();
    await config('[server]\nbind = "127.0.0.1:7400"\n');
    expect(findGreeting(place)).toBeUndefined();
  });

  it.each(['{}', 'null', '"text"', '[{'])('is kept anew where the file of greetings holds %s', async (text) => {
    keepGreeting(place);
    await writeFile(join(folder, 'cache', 'greetings.json'), text);
    expect(findGreeting(place)).toBeUndefined();
    keepGreeting(place);
    expect(findGreeting(place)).toEqual(greeting);
  });

  it.each([
    ['servers', '[mcp_servers.files]\ncommand = "x"'],
    ['scripts', '[tools.script.x]\npath = "x.lua"'],
    ['agents', 'agents.inline.x.system_prompt = "x"'],
    ['peers', '[a2a.peers.x]\nurl = "https://example.com"'],
    ['values from the environment', `[server]\nbind = "\${BIND}"`],
  ])('is not kept for a config with %s', async (_, text) => {
    await config(text);
    keepGreeting(place);
    expect(findGreeting(place)).toBeUndefined();
  });

  it('is kept for several views, and for no more than eight', () => {
    for (let index = 0; index < 10; index += 1) keepGreeting({ ...place, agent: `agent-${index}` });
    const found = Array.from({ length: 10 }, (_, index) => findGreeting({ ...place, agent: `agent-${index}` }));
    expect(found.map((each) => each !== undefined)).toEqual([false, false, ...Array(8).fill(true)]);
  });
});

describe('a client that starts', () => {
  const initialize = '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}';
  const initialized = '{"jsonrpc":"2.0","method":"notifications/initialized"}';
  const list = '{"jsonrpc":"2.0","id":"two","method":"tools/list","params":{}}';

  async function say(chunks: readonly string[], isEnded = false) {
    keepGreeting(place);
    const stdin = new PassThrough();
    const stdout = new PassThrough().setEncoding('utf8');
    const greeted = greet({ stdin, stdout }, place);
    for (const chunk of chunks) stdin.write(chunk);
    if (isEnded) stdin.end();
    return { greeted: await greeted, replies: String(stdout.read() ?? '') };
  }

  it('is replied to with what is kept', async () => {
    const { greeted, replies } = await say([`${initialize}\n${initialized}\n`, `${list}\n`]);
    expect(replies).toBe(
      '{"jsonrpc":"2.0","id":1,"result":{"kept":"hello"}}\n{"jsonrpc":"2.0","id":"two","result":{"tools":["kept"]}}\n',
    );
    expect(greeted).toEqual({ handled: [initialize, initialized], waiting: [], rest: '', greeting });
  });

  it('waits for the hub with everything else, and with what comes after it', async () => {
    const call = '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"x"}}';
    const { greeted, replies } = await say([`${initialize}\n${call}\n${list}\n${list.slice(0, 20)}`]);
    expect(replies.split('\n').length).toBe(2);
    expect(greeted).toMatchObject({ handled: [initialize], waiting: [call, list], rest: list.slice(0, 20) });
  });

  it.each([
    ['a revision that is not kept', initialize.replace('2025-11-25', '2026-07-28')],
    ['a page that is not the first', list.replace('{}', '{"cursor":"x"}')],
    ['a request of the revision without sessions', list.replace('{}', '{"_meta":{}}')],
    ['no JSON', 'hello'],
    ['a batch', `[${list}]`],
    ['a request without an id that is one', list.replace('"two"', 'null')],
    ['params that are none', list.replace('{}', '[]')],
  ])('waits for the hub with %s', async (_, line) => {
    const { greeted, replies } = await say([`${line}\n`]);
    expect([greeted?.waiting, replies]).toEqual([[line], '']);
  });

  it('may be gone before it hears anything', async () => {
    keepGreeting(place);
    const stdin = new PassThrough();
    const stdout = new Writable({ write: (_chunk, _encoding, done) => done(new Error('EPIPE')) });
    const greeted = greet({ stdin, stdout }, place);
    stdin.write(`${initialize}\n`);
    expect(await greeted).toMatchObject({ handled: [initialize] });
    stdin.destroy();
  });

  it('is handed over when it takes its time, or leaves', async () => {
    expect((await say([`${initialize}\n`])).greeted).toMatchObject({ handled: [initialize], waiting: [] });
    expect((await say([], true)).greeted).toMatchObject({ handled: [], waiting: [] });
  });
});
