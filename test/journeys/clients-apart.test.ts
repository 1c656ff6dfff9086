import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { serveTestHub, type TestHub } from '../support/hubs/serve-test-hub.ts';

const script = fileURLToPath(new URL('../support/servers/asking-server.ts', import.meta.url));
let hub: TestHub;
let meeting: string;
const open: { close(): Promise<void> }[] = [];

async function start(more = ''): Promise<void> {
  meeting = await mkdtemp(join(tmpdir(), 'zoo-clients-apart-'));
  hub = await serveTestHub({
    anonymous: 'work',
    toml: `[mcp_servers.asking]
command = ${JSON.stringify(process.execPath)}
args = ${JSON.stringify([script, meeting])}
${more}`,
  });
  await (await hub.hub.servers.open()).connect('asking');
}
beforeEach(() => start());
afterEach(async () => {
  for (const client of open.splice(0)) await client.close();
  await hub.end();
  await rm(meeting, { recursive: true });
});

interface Person {
  /** Everything that it was asked. */
  asked: string[];
  call(tool: string, input?: object): Promise<{ pid: number; said: unknown }>;
  leave(): Promise<void>;
}

function reader(result: unknown): { pid: number; said: unknown } {
  const [block] = (result as { content: { text: string }[] }).content;
  return JSON.parse(block?.text ?? '');
}

async function person(name: string, capabilities = { elicitation: {}, sampling: {}, roots: {} }): Promise<Person> {
  const asked: string[] = [];
  const client = new Client({ name, version: '1' }, { capabilities });
  if ('elicitation' in capabilities) {
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
      asked.push(params.message);
      return { action: 'accept', content: { secret: `secret of ${name}` } };
    });
    client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => {
      asked.push(JSON.stringify(params.messages));
      return { model: 'm', role: 'assistant', content: { type: 'text', text: `model of ${name}` } };
    });
    client.setRequestHandler(ListRootsRequestSchema, () => {
      asked.push('roots');
      return { roots: [{ uri: `file:///home/${name}` }] };
    });
  }
  const transport = new StreamableHTTPClientTransport(new URL(`${hub.server.url}/mcp`));
  await client.connect(transport);
  open.push(client);
  return {
    asked,
    call: async (tool, input = {}) =>
      reader(await client.callTool({ name: `mcp__asking__${tool}`, arguments: { name, ...input } })),
    async leave() {
      await transport.terminateSession();
      await client.close();
    },
  };
}

it.each(['elicit', 'sample'])(
  'two clients that %s at the same time are each asked their own question',
  async (tool) => {
    const people = { ann: await person('ann'), bob: await person('bob') };
    const [ann, bob] = await Promise.all(Object.values(people).map((each) => each.call(tool, { together: 2 })));
    expect(JSON.stringify(ann?.said)).toContain('of ann');
    expect(JSON.stringify(bob?.said)).toContain('of bob');
    expect(ann?.pid).not.toBe(bob?.pid);
    for (const [name, { asked }] of Object.entries(people)) {
      expect(asked).toHaveLength(1);
      expect(asked[0]).toContain(`For ${name} only`);
    }
  },
);

it('overlapping calls of one client share a server process, and all its questions reach that client', async () => {
  const ann = await person('ann');
  const [one, two] = await Promise.all([ann.call('elicit', { together: 2 }), ann.call('sample', { together: 2 })]);
  expect(JSON.stringify([one?.said, two?.said])).not.toContain('refused');
  expect(one?.pid).toBe(two?.pid);
  expect(ann.asked).toHaveLength(2);
});

it('the roots of one client are never shown to another', async () => {
  const ann = await person('ann');
  const first = await ann.call('list_roots');
  expect(first.said).toEqual({ roots: [{ uri: 'file:///home/ann' }] });
  const bob = await person('bob');
  expect((await bob.call('list_roots')).said).toEqual({ roots: [{ uri: 'file:///home/bob' }] });
  const nobody = await person('nobody', {} as never);
  expect(JSON.stringify((await nobody.call('list_roots')).said)).toContain('refused');
  // The server remembers them for the client that they belong to.
  const again = await ann.call('list_roots');
  expect(again).toEqual(first);
  expect(ann.asked).toEqual(['roots']);
  await ann.leave();
  await bob.leave();
  expect(JSON.stringify((await nobody.call('list_roots')).said)).toContain('refused');
  const carl = await person('carl');
  expect((await carl.call('list_roots')).said).toEqual({ roots: [{ uri: 'file:///home/carl' }] });
});

it('a client without sessions leaves no roots behind, and overlaps with others', async () => {
  const client = new ClientV2(
    { name: 'dora', version: '1' },
    { capabilities: { roots: {}, elicitation: { form: {} } }, versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  client.setRequestHandler('roots/list', () => ({ roots: [{ uri: 'file:///home/dora' }] }));
  await client.connect(new HttpV2(new URL(`${hub.server.url}/mcp`)));
  open.push(client);
  const call = async () =>
    reader(await client.callTool({ name: 'mcp__asking__list_roots', arguments: { name: 'dora' } }));
  expect((await call()).said).toEqual({ roots: [{ uri: 'file:///home/dora' }] });
  const ann = await person('ann');
  expect((await ann.call('list_roots')).said).toEqual({ roots: [{ uri: 'file:///home/ann' }] });
  expect((await call()).said).toEqual({ roots: [{ uri: 'file:///home/dora' }] });
});

it('a client is notified when a server withdraws its question, and the server gets no answer', async () => {
  const client = new Client({ name: 'ann', version: '1' }, { capabilities: { elicitation: {} } });
  let asked = 0;
  client.setRequestHandler(ElicitRequestSchema, async (_request, { signal }) => {
    asked += 1;
    if (!signal.aborted) await once(signal, 'abort');
    await writeFile(join(meeting, 'heard'), '');
    return { action: 'cancel' };
  });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${hub.server.url}/mcp`)));
  open.push(client);
  const { said } = reader(await client.callTool({ name: 'mcp__asking__withdraw' }));
  expect(said).toEqual({ answered: false });
  expect(asked).toBe(1);
});

it('a question for a client that accepts none reaches no other client', async () => {
  const ann = await person('ann');
  const nobody = await person('nobody', {} as never);
  const waiting = ann.call('wait', { together: 2 });
  await expect.poll(() => readdir(meeting)).toHaveLength(1);
  const { said } = await nobody.call('elicit', { together: 2 });
  expect(JSON.stringify(said)).toContain('refused');
  await waiting;
  expect(ann.asked).toEqual([]);
});

it('if only one call may run at a time, clients take turns and stay separate', async () => {
  await hub.end();
  await rm(meeting, { recursive: true });
  await start('max_concurrent_calls = 1\n');
  const people = [await person('ann'), await person('bob')];
  const answers = await Promise.all(people.flatMap((each) => [each.call('list_roots'), each.call('elicit')]));
  expect(answers.map(({ said }) => JSON.stringify(said))).toEqual([
    expect.stringContaining('/ann'),
    expect.stringContaining('of ann'),
    expect.stringContaining('/bob'),
    expect.stringContaining('of bob'),
  ]);
});
