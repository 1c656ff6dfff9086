import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAgent, updateAgent } from '../../src/agents/edit-agents.ts';
import type { ResourceProvider } from '../../src/resources/resource.ts';
import { defineTool, type Tool } from '../../src/tools/tool.ts';
import { envelope, LineClient, type RpcAnswer } from '../support/hubs/mcp-hub.ts';
import { serveTestHub, type TestHub } from '../support/hubs/serve-test-hub.ts';

/**
 * Everything beyond the scope has "outside" in its name or text. Whatever a scoped client sends, no reply and no notification may
 * depend on it: a request about something outside is answered exactly like one about something that does not exist.
 */

const headerSchema = { type: 'object', properties: { place: { type: 'string', 'x-mcp-header': 'place' } } };

function tool(name: string): Tool {
  return defineTool({ name, description: `Does ${name}.`, input: { jsonSchema: headerSchema }, run: () => ({ name }) });
}

const outsideResources: ResourceProvider = {
  list: () => [{ uri: 'outside://one', name: 'outside' }],
  templates: () => [{ uriTemplate: 'outside://{name}', name: 'outside' }],
  read: (uri) => (uri.startsWith('outside://') ? [{ uri, text: 'outside' }] : undefined),
  complete: () => ['outside'],
};

let zoo: TestHub;
/** The credentials of each view over HTTP. */
const secrets = { agent: '', 'bound key': '', member: '', nobody: '' };
let outsideEntry = '';
let ownEntry = '';

beforeAll(async () => {
  zoo = await serveTestHub({
    tools: [tool('inside_tool'), tool('outside_tool')],
    resources: [outsideResources],
  });
  const { hub } = zoo;
  const tools = ['inside_*', 'agent_zoo_*_brain_*'];
  const args = [{ name: 'agent', description: 'Any agent.' }];
  await createAgent(hub, { id: 'mine', name: 'Mine', systemPrompt: 'My prompt.', tools, arguments: args });
  await createAgent(hub, { id: 'outside', name: 'Outside', systemPrompt: 'The outside prompt.', tools: ['*'] });
  ownEntry = (await hub.brain.create('mine', { type: 'note', content: 'My note.' })).id;
  outsideEntry = (await hub.brain.create('outside', { type: 'note', content: 'The outside note.' })).id;
  secrets.agent = (await hub.callers.createKey({ name: 'Free' })).secret;
  secrets['bound key'] = (await hub.callers.createKey({ name: 'Bound', agent: 'mine' })).secret;
  secrets.member = (await hub.team.members.add({ id: 'worker', type: 'WORKER', agent: 'mine' })).token ?? '';
  await hub.team.members.add({ id: 'outside-member', type: 'WORKER', agent: 'outside' });
  // Loads the tools of the team, which would otherwise be news to the first member.
  await hub.resolveCaller({ surface: 'mcp', member: 'worker' });
});
afterAll(() => zoo.end());

/** A client in one view, over one transport, in one era. */
interface ScopedClient {
  request(method: string, params: object): Promise<RpcAnswer>;
  /** Starts to collect notifications about everything, inside and outside. */
  listen(uris: readonly string[]): Promise<void>;
  notifications: RpcAnswer[];
  end(): Promise<void>;
}

type View = keyof typeof secrets;
const statelessVersion = '2026-07-28';
const sessionVersion = '2025-11-25';

function lineClient(view: View, isStateless: boolean): ScopedClient {
  const line = new LineClient(zoo.hub, view === 'member' ? { member: 'worker' } : { agent: 'mine' });
  const shared = isStateless ? envelope() : {};
  const greeted = isStateless ? Promise.resolve() : line.initialize();
  const request = async (method: string, params: object) => {
    await greeted;
    return line.request(method, { ...shared, ...params });
  };
  return {
    request,
    listen: async (uris) => {
      if (!isStateless) {
        for (const uri of uris) await request('resources/subscribe', { uri });
        return;
      }
      const started = line.until(({ method }) => method === 'notifications/subscriptions/acknowledged');
      line.write({ jsonrpc: '2.0', id: 'listen', method: 'subscriptions/listen', params: listening(uris) });
      await started;
    },
    get notifications() {
      return line.received.filter(({ method }) => method !== undefined && !method.endsWith('acknowledged'));
    },
    end: () => line.end(),
  };
}

function listening(uris: readonly string[]): object {
  const all = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };
  return { ...envelope(), notifications: { ...all, resourceSubscriptions: uris } };
}

function httpClient(view: View, isStateless: boolean): ScopedClient {
  const url = `${zoo.server.url}/mcp${view === 'agent' ? '?agent=mine' : ''}`;
  const abort = new AbortController();
  const notifications: RpcAnswer[] = [];
  const usual = {
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    ...(secrets[view] !== '' && { authorization: `Bearer ${secrets[view]}` }),
  };
  const post = (body: object, headers: Record<string, string>) =>
    fetch(url, {
      method: 'POST',
      headers: { ...usual, ...headers },
      body: JSON.stringify(body),
      signal: abort.signal,
    });
  const greeted = isStateless ? Promise.resolve({}) : greet();
  async function greet(): Promise<Record<string, string>> {
    const params = { protocolVersion: sessionVersion, capabilities: {}, clientInfo: { name: 'test', version: '1' } };
    const response = await post({ jsonrpc: '2.0', id: 0, method: 'initialize', params }, {});
    const headers = {
      'mcp-session-id': response.headers.get('mcp-session-id') ?? '',
      'mcp-protocol-version': sessionVersion,
    };
    await post({ jsonrpc: '2.0', method: 'notifications/initialized' }, headers);
    return headers;
  }
  async function send(method: string, params: object): Promise<Response> {
    const { name, uri } = params as { name?: string; uri?: string };
    const named = ['tools/call', 'prompts/get', 'resources/read'].includes(method) ? (name ?? uri) : undefined;
    const headers = isStateless
      ? { 'mcp-protocol-version': statelessVersion, 'mcp-method': method, ...(named && { 'mcp-name': named }) }
      : await greeted;
    const shared = isStateless ? envelope() : {};
    return post({ jsonrpc: '2.0', id: 1, method, params: { ...shared, ...params } }, headers);
  }
  async function collect(response: Response, onFirst: () => void): Promise<void> {
    let text = '';
    onFirst();
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const events = (text + chunk).split('\n\n');
      text = events.pop() ?? '';
      for (const event of events) {
        const data = /^data: (.+)$/m.exec(event)?.[1];
        const message: RpcAnswer | undefined = data && JSON.parse(data);
        if (message?.method && !message.method.endsWith('acknowledged')) notifications.push(message);
      }
    }
  }
  const request = async (method: string, params: object): Promise<RpcAnswer> => (await send(method, params)).json();
  return {
    request,
    listen: async (uris) => {
      if (!isStateless) for (const uri of uris) await request('resources/subscribe', { uri });
      const response = isStateless
        ? await send('subscriptions/listen', listening(uris))
        : await fetch(url, { headers: { ...usual, ...(await greeted) }, signal: abort.signal });
      const { promise, resolve } = Promise.withResolvers<void>();
      collect(response, resolve).catch(() => {});
      await promise;
    },
    notifications,
    end: async () => abort.abort(),
  };
}

const views: [string, View, (view: View, isStateless: boolean) => ScopedClient][] = [
  ['the view of an agent over stdio', 'agent', lineClient],
  ['a member over stdio', 'member', lineClient],
  ['the view of an agent over HTTP', 'agent', httpClient],
  ['a key for one agent over HTTP', 'bound key', httpClient],
  ['a member over HTTP', 'member', httpClient],
];
const cases = views.flatMap(([name, view, open]) =>
  [false, true].map(
    (isStateless) =>
      [`${name}, ${isStateless ? statelessVersion : sessionVersion}`, { open: () => open(view, isStateless) }] as const,
  ),
);

/** Lists that must not name anything outside. */
const lists: [string, object][] = [
  ['initialize', { protocolVersion: sessionVersion, capabilities: {} }],
  ['server/discover', {}],
  ['tools/list', {}],
  ['prompts/list', {}],
  ['resources/list', {}],
  ['resources/templates/list', {}],
  ['prompts/get', { name: 'mine' }],
  ['resources/read', { uri: 'agent-zoo://agents/mine' }],
  ['resources/read', { uri: 'agent-zoo://agents/mine/brain' }],
  ['completion/complete', complete({ type: 'ref/prompt', name: 'mine' }, 'agent')],
  ['tools/call', { name: 'agent_zoo_query_brain_entries', arguments: { agentId: 'mine' } }],
];

function complete(ref: object, name: string, value = ''): object {
  return { ref, argument: { name, value } };
}

/** Requests about something outside. "outside" is replaced by the name of something that does not exist. */
function attacks(): [string, object][] {
  const uris = [
    'agent-zoo://agents',
    'agent-zoo://agents/outside',
    'agent-zoo://agents/outside/brain',
    `agent-zoo://agents/outside/brain/${outsideEntry}`,
    `agent-zoo://agents/mine/brain/${outsideEntry}`,
    'agent-zoo://agents/mine/../outside',
    'agent-zoo://agents/mine/..%2Foutside',
    'agent-zoo://agents/%6Futside',
    'AGENT-ZOO://agents/outside',
    'agent-zoo://agents/outside?agent=mine',
    'agent-zoo://documents',
    'outside://one',
  ];
  const templates = [
    'agent-zoo://agents/{id}',
    'agent-zoo://agents/{id}/brain/{entryId}',
    'agent-zoo://agents/mine/brain',
    'agent-zoo://agents/mine/brain/{entryId}',
    'agent-zoo://agents/outside/brain/{entryId}',
    'agent-zoo://documents/{id}',
    'outside://{name}',
  ];
  const variables = ['id', 'entryId', 'name'];
  const note = { type: 'note', content: 'Forged.' };
  const brainCalls: [string, object][] = [
    ['agent_zoo_query_brain_entries', { agentId: 'outside' }],
    ['agent_zoo_create_brain_entry', { agentId: 'outside', ...note }],
    ['agent_zoo_update_brain_entry', { agentId: 'outside', entryId: outsideEntry, content: 'Forged.' }],
    ['agent_zoo_delete_brain_entry', { agentId: 'outside', entryId: outsideEntry }],
    ['agent_zoo_update_brain_entry', { agentId: 'mine', entryId: outsideEntry, content: 'Forged.' }],
    ['agent_zoo_delete_brain_entry', { agentId: 'mine', entryId: outsideEntry }],
  ];
  return [
    ...uris.flatMap((uri): [string, object][] => [
      ['resources/read', { uri }],
      ['resources/subscribe', { uri }],
      ['resources/unsubscribe', { uri }],
    ]),
    ...templates.flatMap((uri) =>
      variables.map((name): [string, object] => [
        'completion/complete',
        complete({ type: 'ref/resource', uri }, name, ''),
      ]),
    ),
    ['completion/complete', complete({ type: 'ref/prompt', name: 'outside' }, 'agent')],
    ['completion/complete', complete({ type: 'ref/prompt', name: 'mine' }, 'agent', 'o')],
    ['prompts/get', { name: 'outside' }],
    ['tools/call', { name: 'outside_tool', arguments: {} }],
    ['tools/call', { name: 'outside_tool', arguments: { place: 'x' } }],
    ['tools/call', { name: 'agent_zoo_inject', arguments: { agentId: 'outside' } }],
    ['tools/call', { name: 'agent_zoo_get_agent', arguments: { agentId: 'outside' } }],
    ['tools/call', { name: 'agent_zoo_list_agents', arguments: {} }],
    ['tools/call', { name: 'search', arguments: { query: 'outside' } }],
    ...brainCalls.map(([name, args]): [string, object] => ['tools/call', { name, arguments: args }]),
  ];
}

const missing = (text: string) => text.replaceAll('outside', 'nowhere').replaceAll(outsideEntry, 'no-such-entry');

function textOf({ id: _, ...reply }: RpcAnswer): string {
  return JSON.stringify(reply);
}

describe.each(cases)('%s', (_, { open }) => {
  it('lists nothing from outside', async () => {
    const client = open();
    for (const [method, params] of lists) {
      const text = textOf(await client.request(method, params));
      expect([method, text]).toEqual([method, expect.not.stringMatching(/outside/i)]);
    }
    await client.end();
  });

  it('gets the same reply about something outside as about something that does not exist', async () => {
    const client = open();
    for (const [method, params] of attacks()) {
      const reply = textOf(await client.request(method, params));
      const expected = textOf(await client.request(method, JSON.parse(missing(JSON.stringify(params)))));
      expect([method, params, missing(reply)]).toEqual([method, params, expected]);
    }
    await client.end();
    const [entry, ...more] = await zoo.hub.brain.query('outside', {});
    expect([entry?.content, more]).toEqual(['The outside note.', []]);
  });

  it('uses the memory of its own agent', async () => {
    const client = open();
    const call = async (name: string, args: object): Promise<string> =>
      textOf(await client.request('tools/call', { name, arguments: { agentId: 'mine', ...args } }));
    expect(await call('agent_zoo_query_brain_entries', {})).toContain('My note.');
    const update = { entryId: ownEntry, content: 'My note.', pinned: true };
    expect(await call('agent_zoo_update_brain_entry', update)).not.toContain('isError');
    await client.end();
  });
});

/** Lets the hub publish what was just changed. */
const published = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

/** Changes something of everything beyond the scope. */
async function changeOutside(): Promise<void> {
  const { hub } = zoo;
  const name = `Outside ${Math.random()}`;
  await updateAgent(hub, 'outside', { input: { name, systemPrompt: 'Outside, changed.' }, expectedRevision: null });
  await published();
  const { id } = await hub.brain.create('outside', { type: 'milestone', content: 'outside' });
  await hub.brain.delete('outside', id);
  await published();
  const remove = hub.tools.register(tool('outside_too'));
  await published();
  remove();
  await published();
  await hub.team.members.change('outside-member', { state: 'BUSY' });
  await hub.team.members.change('outside-member', { state: 'IDLE' });
  await published();
  hub.resources.changes.emit({ uris: ['outside://one'], listChanged: true });
  await published();
}

const describeNotification = ({ method, params }: RpcAnswer) => [method, params?.uri].filter(Boolean).join(' ');

describe.each(cases)('%s', (_, { open }) => {
  it('is notified of changes within its scope only', async () => {
    const client = open();
    const ownBrain = 'agent-zoo://agents/mine/brain';
    const outside = ['agent-zoo://agents', 'agent-zoo://agents/outside', 'agent-zoo://agents/outside/brain'];
    await client.request('tools/list', {});
    await client.listen([ownBrain, ...outside, 'outside://one', 'agent-zoo://documents/']);
    await changeOutside();
    const { id } = await zoo.hub.brain.create('mine', { type: 'milestone', content: 'Inside.' });
    await expect
      .poll(() => client.notifications.map(describeNotification))
      .toContain(`notifications/resources/updated ${ownBrain}`);
    const remove = zoo.hub.tools.register(tool('inside_too'));
    await expect
      .poll(() => client.notifications.map(describeNotification))
      .toContain('notifications/tools/list_changed');
    expect(client.notifications.map(describeNotification)).toEqual([
      `notifications/resources/updated ${ownBrain}`,
      'notifications/tools/list_changed',
    ]);
    await client.end();
    remove();
    await zoo.hub.brain.delete('mine', id);
  });
});

it('a client of the whole hub is notified of all of that', async () => {
  const client = new LineClient(zoo.hub, {});
  await client.initialize();
  await client.request('resources/subscribe', { uri: 'agent-zoo://agents/outside/brain' });
  await changeOutside();
  const seen = () => new Set(client.received.map(describeNotification).filter((each) => each !== ''));
  await expect
    .poll(seen)
    .toEqual(
      new Set([
        'notifications/prompts/list_changed',
        'notifications/resources/list_changed',
        'notifications/tools/list_changed',
        'notifications/resources/updated agent-zoo://agents/outside/brain',
      ]),
    );
  await client.end();
});

it('a client without a key is not notified of tools that it cannot see', async () => {
  const client = httpClient('nobody', false);
  const ownBrain = 'agent-zoo://agents/mine/brain';
  expect(textOf(await client.request('tools/list', {}))).not.toContain('outside_tool');
  await client.listen([ownBrain]);
  const remove = zoo.hub.tools.register(tool('outside_too'));
  await published();
  remove();
  await published();
  const { id } = await zoo.hub.brain.create('mine', { type: 'milestone', content: 'Inside.' });
  const updated = `notifications/resources/updated ${ownBrain}`;
  await expect.poll(() => client.notifications.map(describeNotification)).toContain(updated);
  expect(client.notifications.map(describeNotification)).toEqual([updated]);
  await client.end();
  await zoo.hub.brain.delete('mine', id);
});

it('a member that switches to another agent sees that agent instead', async () => {
  const { members } = zoo.hub.team;
  await members.add({ id: 'switching', type: 'WORKER', agent: 'outside' });
  const client = new LineClient(zoo.hub, { member: 'switching' });
  await client.initialize();
  const text = async (method: string, params: object = {}) => textOf(await client.request(method, params));
  expect(await text('prompts/list')).toContain('outside');
  await members.change('switching', { agent: 'mine' });
  await expect.poll(() => client.received.map(({ method }) => method)).toContain('notifications/prompts/list_changed');
  for (const method of ['prompts/list', 'resources/list', 'resources/templates/list', 'tools/list'])
    expect([method, await text(method)]).toEqual([method, expect.not.stringMatching(/outside/i)]);
  expect(await text('prompts/get', { name: 'outside' })).toContain('Unknown prompt');
  expect(await text('resources/read', { uri: 'agent-zoo://agents/outside' })).toContain('Unknown resource');
  await client.end();
  await members.remove('switching');
});

it('a member without an agent has no brain', async () => {
  const { members } = zoo.hub.team;
  await members.add({ id: 'nobody', type: 'SUPERVISOR' });
  const caller = await zoo.hub.resolveCaller({ surface: 'mcp', member: 'nobody' });
  const allowed = { ...caller, member: caller.member && { ...caller.member, rules: { allow: ['*'], deny: [] } } };
  const outcome = await zoo.hub.execute({
    caller: allowed,
    tool: 'agent_zoo_query_brain_entries',
    input: { agentId: 'mine' },
  });
  expect(outcome).toMatchObject({ ok: false, error: { code: 'PERMISSION_DENIED' } });
  await members.remove('nobody');
});
