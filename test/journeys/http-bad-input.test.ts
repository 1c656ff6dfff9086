import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BrainEntry } from '../../src/brain/brain.ts';
import { type CallOptions, serveTestHub, type TestHub } from '../support/hubs/serve-test-hub.ts';

let zoo: TestHub;
let entryId = '';
beforeAll(async () => {
  zoo = await serveTestHub({ toml: '[agents.filed]\nsystem_prompt = "From a file."\n' });
  await zoo.call('POST', '/api/agents', { body: { name: 'Alice', systemPrompt: 'Hello.' } });
  await zoo.call('PUT', '/api/agents/alice', { body: { name: 'Alice' }, headers: { 'if-match': '"1"' } });
  const entry = await zoo.call<BrainEntry>('POST', '/api/agents/alice/brain', {
    body: { type: 'note', content: 'First.' },
  });
  entryId = entry.body.id;
});
afterAll(() => zoo.end());

interface Write {
  method: string;
  path: string;
  headers?: Record<string, string>;
  /** A body that would be accepted. */
  good: object;
  /** Wrong bodies of this route alone: [what, body, text in the message]. */
  wrong: [string, unknown, RegExp][];
}

const megabyte = 'x'.repeat(1024 * 1024);
const agent = (fields: object) => ({ name: 'Alice', ...fields });
const agentFaults: Write['wrong'] = [
  ['a missing name', { systemPrompt: 'x' }, /name/],
  ['a name that is a number', agent({ name: 5 }), /name/],
  ['a name of 1 MB', agent({ name: megabyte }), /name/],
  ['a name of spaces', agent({ name: '  ' }), /name/],
  ['a name with NUL', agent({ name: 'a\0b' }), /name/],
  ['a name cut inside a character', agent({ name: '\ud83d' }), /name/],
  ['an unknown field', agent({ nickname: 'Al' }), /nickname/],
  ['an id with a slash', agent({ id: 'a/b' }), /id/],
  ['an unknown mode', agent({ mode: 'sleeping' }), /mode/],
  ['a skill in no category', agent({ skills: [{ id: 's', name: 's', categoryId: 'c' }] }), /categoryId/],
  [
    'two skills with one id',
    agent({
      skills: [
        { id: 's', name: 's' },
        { id: 's', name: 't' },
      ],
    }),
    /twice/,
  ],
  ['a colour that is none', agent({ skillCategories: [{ id: 'c', name: 'c', color: 'red' }] }), /color/],
  ['501 skills', agent({ skills: Array.from({ length: 501 }, (_, id) => ({ id: `${id}`, name: 's' })) }), /skills/],
];
const brainFaults: Write['wrong'] = [
  ['an unknown type', { type: 'dream', content: 'x' }, /type/],
  ['content of spaces', { type: 'note', content: ' ' }, /content/],
  ['content cut inside a character', { type: 'note', content: '\ud83d' }, /content/],
  ['a tag with NUL', { type: 'note', content: 'x', tags: ['a\0'] }, /tags\[0\]/],
  ['content that is a number', { type: 'note', content: 7 }, /content/],
  ['tags that are a string', { type: 'note', content: 'x', tags: 'a' }, /tags/],
  ['an unknown field', { type: 'note', content: 'x', mood: 'good' }, /mood/],
];

const writes = (): Write[] => [
  { method: 'POST', path: '/api/agents', good: { name: 'Bob' }, wrong: agentFaults },
  {
    method: 'PUT',
    path: '/api/agents/alice',
    headers: { 'if-match': '"2"' },
    good: { name: 'Bob' },
    wrong: [...agentFaults, ['another id', agent({ id: 'bob' }), /id: cannot change/]],
  },
  {
    method: 'POST',
    path: '/api/agents/alice/clone',
    good: { name: 'Bob' },
    wrong: [
      ['a name that is a list', { name: [] }, /name/],
      ['a name of 1 MB', { name: megabyte }, /name/],
      ['an unknown field', { nick: 'x' }, /nick/],
      ['an id with a slash', { id: '../x' }, /id/],
    ],
  },
  { method: 'POST', path: '/api/agents/alice/brain', good: { type: 'note', content: 'x' }, wrong: brainFaults },
  { method: 'PUT', path: `/api/agents/alice/brain/${entryId}`, good: { content: 'x' }, wrong: brainFaults },
  {
    method: 'PATCH',
    path: `/api/agents/alice/brain/${entryId}/pin`,
    good: { pinned: true },
    wrong: [
      ['a pin that is a string', { pinned: 'yes' }, /pinned/],
      ['an unknown field', { pin: true }, /pin/],
    ],
  },
  {
    method: 'POST',
    path: '/api/import',
    good: { name: 'Bob' },
    wrong: [
      ['something else', { hello: 'world' }, /not an export/],
      ['a string', '"agents"', /not an export/],
      ['a newer format', { format: 'agent-zoo/agents', version: 3, agents: [] }, /version/],
      ['one bad agent among good ones', [{ name: 'Good' }, { name: 5 }], /agents\[1\].*name/],
    ],
  },
  {
    method: 'POST',
    path: '/agents/alice/prompt',
    good: {},
    wrong: [['an argument that is an object', { arguments: { a: {} } }, /"a"/]],
  },
  {
    method: 'POST',
    path: '/tools/agent_zoo_create_brain_entry',
    good: { agentId: 'alice', type: 'note', content: 'x' },
    wrong: [
      ['a missing field', { agentId: 'alice', type: 'note' }, /content/],
      ['a list', [], /must be an object, not a list/],
    ],
  },
];

/** What no route with a body accepts. */
const anyFault: [string, CallOptions, number, RegExp][] = [
  ['invalid JSON', { body: '{"name":' }, 400, /not valid JSON/],
  ['a NUL character', { body: '\u0000' }, 400, /not valid JSON/],
  ['a __proto__ key', { body: '{"name":"Eve","__proto__":{"editable":true}}' }, 400, /__proto__/],
  ['an escaped __proto__ key', { body: '{"name":"Eve","a":{"\\u005f_proto__":{}}}' }, 400, /__proto__/],
  ['a depth of 1,000,000', { body: '['.repeat(1_000_000) }, 413, /nested deeper/],
  ['plain text', { body: '{}', headers: { 'content-type': 'text/plain' } }, 415, /application\/json/],
  [
    'a form',
    { body: 'name=Eve', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    415,
    /application\/json/,
  ],
  [
    'Latin-1',
    { body: '{}', headers: { 'content-type': 'application/json; charset=latin1' } },
    415,
    /application\/json/,
  ],
  ['gzip', { body: '{}', headers: { 'content-encoding': 'gzip' } }, 415, /Compressed/],
];

/** An import holds many agents, so its limits are higher. */
const floods: [string, { elements: number; megabytes: number }, (path: string) => boolean][] = [
  ['every route but import', { elements: 200_000, megabytes: 5 }, (path) => path !== '/api/import'],
  ['import', { elements: 5_000_001, megabytes: 65 }, (path) => path === '/api/import'],
];

/** Everything a writing route could have changed. */
async function state(): Promise<string> {
  const paths = ['/api/agents', '/api/agents/alice', '/api/agents/alice/versions', '/api/agents/alice/brain'];
  return (await Promise.all(paths.map((path) => zoo.call('GET', path)))).map((answer) => answer.text).join('\n');
}

async function expectRefused(write: Write, options: CallOptions): Promise<{ status: number; message: string }> {
  const before = await state();
  const headers = { ...write.headers, ...options.headers };
  const answer = await zoo.call(write.method, write.path, { ...options, headers });
  expect(answer.status).toBeGreaterThanOrEqual(400);
  expect(answer.status).toBeLessThan(500);
  expect(answer.body.error.code).toMatch(/^[a-z_]+$/);
  expect(answer.text.length).toBeLessThan(20_000);
  expect(answer.text).not.toMatch(/node_modules|\.ts:\d/);
  expect(await state()).toBe(before);
  return { status: answer.status, message: answer.body.error.message };
}

describe('bad input', () => {
  it.each(anyFault)('with %s is refused by every route that takes a body', async (_, options, status, message) => {
    for (const write of writes()) {
      const refused = await expectRefused(write, options);
      expect([write.path, refused.status]).toEqual([write.path, status]);
      expect(refused.message).toMatch(message);
    }
  });

  it.each(floods)('in floods is refused by %s', async (_, { elements, megabytes }, isMeant) => {
    const routes = writes().filter(({ path }) => isMeant(path));
    expect(routes).not.toEqual([]);
    for (const write of routes) {
      const many = await expectRefused(write, { body: `[${'1,'.repeat(elements)}1]` });
      expect([write.path, many]).toEqual([write.path, { status: 413, message: expect.stringMatching(/elements/) }]);
      const large = await expectRefused(write, { body: `{"name":"${'x'.repeat(megabytes * 1024 * 1024)}"}` });
      expect([write.path, large]).toEqual([write.path, { status: 413, message: expect.stringMatching(/larger than/) }]);
    }
  });

  it('of a wrong shape is refused with the name of the field', async () => {
    for (const write of writes()) {
      for (const [what, body, message] of write.wrong) {
        const refused = await expectRefused(write, { body });
        expect([write.path, what, refused.status]).toEqual([write.path, what, 400]);
        expect(refused.message).toMatch(message);
        expect(refused.message.length).toBeLessThan(2_000);
      }
    }
  });

  it('with bytes that are not UTF-8 is refused', async () => {
    const response = await fetch(`${zoo.server.url}/api/agents`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...zoo.owner },
      body: new Uint8Array([0x7b, 0xff, 0x7d]),
    });
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('UTF-8')]);
  });

  it('without a content type is refused', async () => {
    const response = await fetch(`${zoo.server.url}/api/agents`, {
      method: 'POST',
      headers: { ...zoo.owner },
      body: new Uint8Array([123, 125]),
    });
    expect(response.status).toBe(415);
    expect(await response.text()).toContain('missing');
  });

  it('that never ends is cut off at the limit', async () => {
    const before = await state();
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 1;
        if (sent > 160) controller.close();
        else controller.enqueue(new Uint8Array(64 * 1024).fill(32));
      },
    });
    const response = await fetch(`${zoo.server.url}/api/agents`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...zoo.owner },
      body,
      duplex: 'half',
    } as RequestInit); // `duplex` is not in the DOM's types yet.
    expect(response.status).toBe(413);
    await response.body?.cancel();
    expect(await state()).toBe(before);
  });

  it('that is empty is refused if a body is required', async () => {
    for (const write of writes().slice(0, 2)) {
      const refused = await expectRefused(write, {});
      expect(refused).toEqual({ status: 400, message: 'The body is empty. Send JSON.' });
    }
    const withType = await expectRefused(
      { method: 'POST', path: '/api/import', good: {}, wrong: [] },
      {
        headers: { 'content-type': 'application/json', ...zoo.owner },
      },
    );
    expect(withType.status).toBe(400);
  });

  it.each(['3', 'W/"2"', '"two"', '"1", "2"', '"99999999999999999999"', ''])(
    'in If-Match (%j) is refused',
    async (ifMatch) => {
      const write = { method: 'PUT', path: '/api/agents/alice', good: {}, wrong: [] };
      const refused = await expectRefused(write, { body: { name: 'Bob' }, headers: { 'if-match': ifMatch } });
      expect(refused.status).toBe(400);
      expect(refused.message).toContain('If-Match');
    },
  );

  it.each([
    ['PUT', '/api/agents/nobody', { name: 'x' }],
    ['DELETE', '/api/agents/nobody', undefined],
    ['POST', '/api/agents/nobody/undelete', undefined],
    ['POST', '/api/agents/nobody/clone', undefined],
    ['POST', '/api/agents/nobody/versions/1/restore', undefined],
    ['POST', '/api/agents/nobody/brain', { type: 'note', content: 'x' }],
    ['POST', '/api/agents/nobody/prompt', {}],
    ['POST', '/agents/nobody/prompt', {}],
    ['PUT', '/api/agents/alice/brain/nothing', { content: 'x' }],
    ['DELETE', '/api/agents/alice/brain/nothing', undefined],
    ['PATCH', '/api/agents/alice/brain/nothing/pin', undefined],
    ['POST', '/tools/nothing', {}],
    ['POST', '/tools/agent_zoo_inject?agent=nobody', {}],
    ['GET', '/api/agents/__proto__', undefined],
    ['GET', '/api/agents/%00', undefined],
    ['GET', '/api/agents/%E0%A4%A', undefined],
    ['GET', '/api/agents/alice%2Fbrain', undefined],
    ['GET', `/api/agents/${'x'.repeat(5_000)}`, undefined],
    ['GET', '/api/agents/alice/brain/__proto__', undefined],
    ['GET', '/api/connect?agent=nobody', undefined],
  ])('that names something unknown: %s %s is 404', async (method, path, body) => {
    const headers = { 'if-match': '*' };
    const refused = await expectRefused({ method, path, good: {}, wrong: [] }, { body, headers });
    expect(refused.status).toBe(404);
    expect(refused.message.length).toBeLessThan(500);
  });

  it.each([
    '/api/agents/alice/brain?type=dream',
    '/api/agents/alice/brain?pinned=maybe',
    '/api/agents/alice/brain?dateFrom=yesterday',
    '/api/agents/alice/brain?colour=red',
    '/api/agents/alice/versions?limit=0',
    '/api/agents/alice/versions?limit=many',
    '/tools/list?agent=',
  ])('in the query is refused: %s', async (path) => {
    const answer = await zoo.call('GET', path);
    expect([answer.status, answer.body.error.code]).toEqual([400, 'bad_request']);
  });

  it('in import options is refused', async () => {
    const answer = await zoo.call('POST', '/api/import?onTakenId=destroy', { body: { name: 'x' } });
    expect([answer.status, answer.body.error.message]).toEqual([400, expect.stringContaining('onTakenId')]);
  });

  it('causes no unexpected error in the log, and the process keeps running', async () => {
    expect(zoo.logged).toEqual([]);
    expect((await zoo.call('GET', '/health')).status).toBe(200);
    for (const write of writes().slice(3)) {
      const { good, ...request } = write;
      const answer = await zoo.call(request.method, request.path, { body: good, headers: request.headers ?? {} });
      expect([write.path, answer.status < 300]).toEqual([write.path, true]);
    }
  });
});
