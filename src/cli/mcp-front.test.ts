import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { testAgent } from '../../test/support/databases/test-store.ts';
import { systemClock } from '../base/clock.ts';
import { silentLogger } from '../base/logger.ts';
import { openStore } from '../store/open-store.ts';
import { findGreeting, type GreetingRequest, greetingWriter } from './greeting-cache.ts';
import { greet } from './mcp-front.ts';

const greeting = { initialize: { '2025-11-25': '{"cached":"hello"}' }, tools: '{"tools":["cached"]}' };
let folder: string;
let database: string;
let request: GreetingRequest;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'zoo-front-'));
  database = join(folder, 'zoo.sqlite');
  request = { cwd: folder, env: { AGENT_ZOO_HOME: folder }, home: folder, agent: undefined, member: undefined };
  await saveAgent('first');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const open = (path = database) => openStore({ db: { path }, clock: systemClock, logger: silentLogger });

async function saveAgent(id: string, path = database): Promise<void> {
  const store = await open(path);
  await store.agents.create(testAgent(id));
  await store.close();
}

function cacheGreeting(each: GreetingRequest): void {
  greetingWriter(each).before(database)(greeting);
}

const config = (text: string) => writeFile(join(folder, 'zoo.toml'), text);

describe('a cached greeting', () => {
  it('is found after a clean shutdown, next to a running hub, and with a plain config', async () => {
    cacheGreeting(request);
    expect(findGreeting(request)).toEqual(greeting);
    const store = await open();
    expect(findGreeting(request)).toEqual(greeting);
    await store.brain.create('first', { type: 'note', content: 'Changes no list.' });
    expect(findGreeting(request)).toEqual(greeting);
    await config('[server]\nbind = "127.0.0.1:7400"\n');
    expect(findGreeting(request)).toBeUndefined();
    cacheGreeting(request);
    expect(findGreeting(request)).toEqual(greeting);
    await store.close();
  });

  const changes: [string, () => unknown][] = [
    ['another agent', () => saveAgent('second')],
    ['another view', () => (request = { ...request, agent: 'first' })],
    ['another member', () => (request = { ...request, member: 'first' })],
    ['a config', () => config('')],
    ['PostgreSQL', () => (request = { ...request, env: { ...request.env, DATABASE_URL: 'postgres://x/y' } })],
    ['a named config that does not exist', () => (request = { ...request, explicitFile: 'none.toml' })],
    ['a deleted database', () => rm(database)],
    ['a file that is not a database', () => writeFile(database, 'text')],
    ['a broken cache file', () => writeFile(join(folder, 'cache', 'greetings.json'), '[{')],
    [
      'another database under its name',
      async () => {
        await saveAgent('other', join(folder, 'other.sqlite'));
        await copyFile(join(folder, 'other.sqlite'), database);
      },
    ],
  ];
  it.each(changes)('is not used with %s', async (_, change) => {
    cacheGreeting(request);
    expect(findGreeting(request)).toEqual(greeting);
    await change();
    expect(findGreeting(request)).toBeUndefined();
  });

  it('is not used if the database changed while the greeting was computed', async () => {
    const write = greetingWriter(request).before(database);
    await saveAgent('second');
    write(greeting);
    expect(findGreeting(request)).toBeUndefined();
  });

  it('is not used if the config changed after the hub was started', async () => {
    await config('[server]\nbind = "127.0.0.1:7400"\n');
    const writer = greetingWriter(request);
    await config('[server]\nbind = "127.0.0.1:7401"\n');
    writer.before(database)(greeting);
    expect(findGreeting(request)).toBeUndefined();
    await config('[server]\nbind = "127.0.0.1:7400"\n');
    expect(findGreeting(request)).toBeUndefined();
  });

  it.each(['{}', 'null', '"text"', '[{'])('is written again if the cache file contains %s', async (text) => {
    cacheGreeting(request);
    await writeFile(join(folder, 'cache', 'greetings.json'), text);
    expect(findGreeting(request)).toBeUndefined();
    cacheGreeting(request);
    expect(findGreeting(request)).toEqual(greeting);
  });

  it.each([
    ['servers', '[mcp_servers.files]\ncommand = "x"'],
    ['scripts', '[tools.script.x]\npath = "x.lua"'],
    ['agents', 'agents.inline.x.system_prompt = "x"'],
    ['peers', '[a2a.peers.x]\nurl = "https://example.com"'],
    ['values from the environment', `[server]\nbind = "\${BIND}"`],
  ])('is not cached for a config with %s', async (_, text) => {
    await config(text);
    cacheGreeting(request);
    expect(findGreeting(request)).toBeUndefined();
  });

  it('is cached for up to eight views', () => {
    for (let index = 0; index < 10; index += 1) cacheGreeting({ ...request, agent: `agent-${index}` });
    const found = Array.from({ length: 10 }, (_, index) => findGreeting({ ...request, agent: `agent-${index}` }));
    expect(found.map((each) => each !== undefined)).toEqual([false, false, ...Array(8).fill(true)]);
  });
});

describe('a client that starts', () => {
  const initialize = '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}';
  const initialized = '{"jsonrpc":"2.0","method":"notifications/initialized"}';
  const list = '{"jsonrpc":"2.0","id":"two","method":"tools/list","params":{}}';

  async function say(chunks: readonly string[], isEnded = false) {
    cacheGreeting(request);
    const stdin = new PassThrough();
    const stdout = new PassThrough().setEncoding('utf8');
    const greeted = greet({ stdin, stdout }, request);
    for (const chunk of chunks) stdin.write(chunk);
    if (isEnded) stdin.end();
    return { greeted: await greeted, replies: String(stdout.read() ?? '') };
  }

  it('gets the cached replies', async () => {
    const { greeted, replies } = await say([`${initialize}\n${initialized}\n`, `${list}\n`]);
    expect(replies).toBe(
      '{"jsonrpc":"2.0","id":1,"result":{"cached":"hello"}}\n{"jsonrpc":"2.0","id":"two","result":{"tools":["cached"]}}\n',
    );
    expect(greeted).toEqual({ handled: [initialize, initialized], waiting: [], rest: '', greeting });
  });

  it('leaves every other request, and whatever follows it, to the hub', async () => {
    const call = '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"x"}}';
    const { greeted, replies } = await say([`${initialize}\n${call}\n${list}\n${list.slice(0, 20)}`]);
    expect(replies.split('\n').length).toBe(2);
    expect(greeted).toMatchObject({ handled: [initialize], waiting: [call, list], rest: list.slice(0, 20) });
  });

  it.each([
    ['a revision that is not cached', initialize.replace('2025-11-25', '2026-07-28')],
    ['a later page', list.replace('{}', '{"cursor":"x"}')],
    ['a request of the revision without sessions', list.replace('{}', '{"_meta":{}}')],
    ['text that is not JSON', 'hello'],
    ['a batch', `[${list}]`],
    ['a request with an invalid id', list.replace('"two"', 'null')],
    ['invalid params', list.replace('{}', '[]')],
  ])('leaves %s to the hub', async (_, line) => {
    const { greeted, replies } = await say([`${line}\n`]);
    expect([greeted?.waiting, replies]).toEqual([[line], '']);
  });

  it('may disconnect before it gets a reply', async () => {
    cacheGreeting(request);
    const stdin = new PassThrough();
    const stdout = new Writable({ write: (_chunk, _encoding, done) => done(new Error('EPIPE')) });
    const greeted = greet({ stdin, stdout }, request);
    stdin.write(`${initialize}\n`);
    expect(await greeted).toMatchObject({ handled: [initialize] });
    stdin.destroy();
  });

  it('is handed over to the hub when it is silent or disconnects', async () => {
    expect((await say([`${initialize}\n`])).greeted).toMatchObject({ handled: [initialize], waiting: [] });
    expect((await say([], true)).greeted).toMatchObject({ handled: [], waiting: [] });
  });
});
