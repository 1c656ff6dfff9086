import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectV1 } from '../support/clients/mcp-clients.ts';
import { runZoo, startZoo } from '../support/command/run-zoo.ts';
import type { ModelStep, RecordedModelRequest } from '../support/models/model-server.ts';
import { startModelServer, type TestModelServer } from '../support/models/model-server.ts';
import { type FlightDesk, openFlightDesk, questionOf } from '../support/tools/book-flight.ts';

/** What somebody who uses TsAgent does on the first day: name the agent files in a config, and go on working. */

const item = (fields: string, text: string) => `---\n${fields}\n---\n${text}\n`;

/** A folder of agents as TsAgent's users have it. */
const agents: Record<string, string> = {
  'desk.yaml': `
metadata:
  name: Help Desk
  version: 1.0.2
  description: Answers customers.
  iconUrl: https://desk.example/icon.png
  documentationUrl: https://desk.example/docs
  provider: { organization: Desk Inc, url: 'https://desk.example' }
  skills:
    - { id: help, name: Help, description: Helps customers, tags: [help], examples: [Where is my parcel?] }
settings: { maxChatTurns: 20, contextTopN: 2 }
systemPrompt: You answer customers.
rules:
  - { name: polite, priorityLevel: 900, text: Stay polite., include: always }
  - { name: brief, priorityLevel: 50, text: Keep it brief., include: always }
  - { name: legal, priorityLevel: 500, text: Quote the terms. }
references:
  - { name: opening-hours, priorityLevel: 500, text: Open from nine to five., include: manual }
  - { name: parcels, priorityLevel: 500, text: A parcel takes three days., include: agent }
  - { name: refunds, priorityLevel: 500, text: A refund takes a week., include: agent }
  - { name: gifts, priorityLevel: 500, text: Gift cards never expire., include: agent }
`,
  'optimizer.yaml': `
metadata:
  name: Optimizer
  description: Serves tools and answers agents.
  autonomous: true
  tools:
    - name: report
      description: Reports on a city.
      parameters: { type: object, properties: { city: { type: string } } }
      prompt: 'Follow @rule:shape for {city} and reply with {"city": {"name": "{city}", "temperature": {temperature}}}'
systemPrompt: You report.
rules:
  - { name: shape, text: Reply with JSON only. }
  - { name: secret, text: Never shown. }
`,
  'looper.yaml': 'metadata: { name: Looper }\nsettings: { maxChatTurns: 2 }\nsystemPrompt: You loop.\n',
  'keyed/tsagent.yaml': 'metadata: { name: Keyed }\nsettings: { model: "OpenAI:gpt-test" }\nsystemPrompt: You pay.\n',
  'old/tsagent.json': JSON.stringify({
    metadata: { name: 'Old Desk', created: 'x', lastAccessed: 'x' },
    settings: { maxChatTurns: '20' },
  }),
  'old/prompt.md': 'You are the old desk.',
  'old/rules/manners.mdt': item('name: manners\ninclude: always', 'Greet first.'),
  'old/refs/history.mdt': item('name: history', 'Founded in 1999.'),
};

let folder: string;
let desk: FlightDesk;
let paid: TestModelServer;
beforeAll(async () => {
  paid = await startModelServer({ script: () => ({ text: 'Paid.' }) });
  folder = await realpath(await mkdtemp(join(tmpdir(), 'zoo-tsagent-')));
  const env = `OPENAI_API_KEY=sk-of-the-agent-only\nOPENAI_BASE_URL=${paid.url}\n`;
  for (const [name, text] of Object.entries({ ...agents, 'keyed/.env': env })) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  const paths = { desk: 'desk.yaml', optimizer: 'optimizer.yaml', looper: 'looper.yaml', keyed: 'keyed', old: 'old' };
  const modes: Record<string, string> = { looper: 'mode = "autonomous"\n' };
  const toml = Object.entries(paths).map(
    ([id, path]) => `[agents.${id}]\npath = ${JSON.stringify(join(folder, path))}\n${modes[id] ?? ''}`,
  );
  desk = await openFlightDesk(answer, { toml: toml.join('') });
});
afterAll(async () => {
  await desk.end();
  await paid.close();
  await rm(folder, { recursive: true, force: true });
});

function answer(request: RecordedModelRequest): ModelStep {
  if (JSON.stringify(request.body.messages[0]).includes('You loop.'))
    return { toolCalls: [{ name: 'nothing', arguments: {} }] };
  return { text: 'Done.' };
}

const lastRequest = (): RecordedModelRequest => desk.model.requests.at(-1) ?? expect.fail('The model was not asked.');
const systemOf = ({ body }: RecordedModelRequest) => JSON.stringify(body.messages[0]?.content);

/** Sends a message in a chat, and returns what the model was asked. */
async function ask(agentId: string, message: string, chatId?: string) {
  const path = chatId === undefined ? '/api/chats' : `/api/chats/${chatId}/messages`;
  const body = chatId === undefined ? { agentId, message } : { text: message };
  const { body: sent } = await desk.call<{ id: string }>('POST', path, { body });
  const id = chatId ?? sent.id;
  await expect
    .poll(async () => (await desk.call<{ state: string }>('GET', `/api/chats/${id}`)).body.state)
    .toBe('idle');
  return { id, request: lastRequest() };
}

describe('rules and references', () => {
  it('that are always included are in the system prompt, lowest priority first, and others are not', async () => {
    const { request } = await ask('desk', 'Hello');
    expect(systemOf(request)).toContain(
      'You answer customers.\\n\\n## Rules\\n\\n### brief\\nKeep it brief.\\n\\n### polite\\nStay polite.',
    );
    expect(JSON.stringify(request.body.messages)).not.toContain('Quote the terms.');
    expect(JSON.stringify(request.body.messages)).not.toContain('Open from nine');
  });

  it('come with the message that names them, stay in the conversation, and are not repeated', async () => {
    const first = await ask('desk', 'When are you open, by @ref:opening-hours and @rule:legal?');
    const asked = first.request.body.messages.findLast(({ role }) => role === 'user')?.content;
    expect(asked).toContainEqual({ type: 'text', text: '[resource ref:opening-hours]\nOpen from nine to five.' });
    expect(asked).toContainEqual({ type: 'text', text: '[resource rule:legal]\nQuote the terms.' });
    expect(asked).toContainEqual({
      type: 'text',
      text: 'When are you open, by @ref:opening-hours and @rule:legal?',
    });
    const second = await ask('desk', 'And on Sunday, by @ref:opening-hours?', first.id);
    const all = JSON.stringify(second.request.body.messages);
    expect(all.split('Open from nine to five.')).toHaveLength(2);
    // The chat shows and repeats what the user wrote.
    await desk.call('POST', `/api/chats/${first.id}/retry`);
    const { text, body } = await desk.call<{ turns: { text: string }[]; otherBranches: { text: string }[] }>(
      'GET',
      `/api/chats/${first.id}/export?format=json`,
    );
    const question = 'And on Sunday, by @ref:opening-hours?';
    expect(body.turns.map((turn) => turn.text)).toEqual([
      'When are you open, by @ref:opening-hours and @rule:legal?',
      question,
    ]);
    expect(body.otherBranches.map((turn) => turn.text)).toEqual([question]);
    expect(text).not.toContain('Open from nine to five.');
  });

  it('with include: agent come with the messages they fit', async () => {
    const { request } = await ask('desk', 'How long does a refund of a gift card take?');
    const all = JSON.stringify(request.body.messages);
    expect(all).toContain('A refund takes a week.');
    expect(all).toContain('Gift cards never expire.');
    expect(all).not.toContain('A parcel takes three days.');
  });

  it('that a message names in vain are reported to the model', async () => {
    const { request } = await ask('desk', 'Use @rule:legel');
    expect(questionOf(request)).toContain('This agent has no rule \\"legel\\". Available: brief, legal, polite.');
  });

  it('are part of the prompt that an injection returns, except those that a message must name', async () => {
    const { body } = await desk.call<{ text: string }>('GET', '/api/agents/desk/compiled');
    expect(body.text).toContain('### brief\nKeep it brief.');
    expect(body.text).toContain('### refunds\nA refund takes a week.');
    expect(body.text).not.toContain('Open from nine to five.');
  });
});

describe('an agent file', () => {
  it('in JSON, in a folder of its own, brings the prompt, rules and references beside it', async () => {
    const { request } = await ask('old', 'Since when, @ref:history?');
    expect(systemOf(request)).toContain('You are the old desk.');
    expect(systemOf(request)).toContain('Greet first.');
    expect(questionOf(request)).toContain('Founded in 1999.');
  });

  it('with a .env beside it answers with the key and address in it, which no other agent gets', async () => {
    const { body } = await desk.call<{ id: string }>('POST', '/api/chats', {
      body: { agentId: 'keyed', message: 'Pay' },
    });
    await expect.poll(() => paid.requests.length).toBe(1);
    expect(paid.requests[0]?.headers.authorization).toBe('Bearer sk-of-the-agent-only');
    expect(paid.requests[0]?.body.model).toBe('gpt-test');
    await ask('desk', 'Hello');
    expect(lastRequest().headers.authorization).not.toBe('Bearer sk-of-the-agent-only');
    const shown = await desk.call('GET', '/api/agents/keyed');
    expect(shown.text).not.toContain('sk-of-the-agent-only');
    expect(body.id).toBeDefined();
  });

  it('with maxChatTurns: 2 ends an answer after two turns', async () => {
    const asked = desk.model.requests.length;
    const { id } = await ask('looper', 'Go');
    expect(desk.model.requests.length - asked).toBe(2);
    const { text } = await desk.call('GET', `/api/chats/${id}/export?format=json`);
    expect(text).toContain('limit of 2 ticks');
  });

  it('can be named on the command line, as a file or a folder, without a config', async () => {
    const { stdout } = await runZoo(['chat', join(folder, 'old')], {
      cwd: desk.folder,
      env: desk.env,
      input: 'Since when, @ref:history?\n',
    });
    expect(stdout).toContain('Done.');
    expect(systemOf(lastRequest())).toContain('You are the old desk.');
    const served = await runZoo(['agent', 'serve', join(folder, 'old')], { cwd: desk.folder, env: desk.env });
    expect(served.stderr).toContain('Agent "old-desk" is in interactive mode and exposes no tools.');
  });

  it('gets another mode from the config, for an agent that any A2A client may ask', async () => {
    const { body } = await desk.call<{ agents: { id: string }[] }>('GET', '/agents');
    expect(body.agents.map(({ id }) => id).sort()).toEqual(['desk', 'looper', 'optimizer']);
  });
});

describe('an agent with tools and autonomous: true', () => {
  it('serves its tools over MCP, with the braces of its template as text and only the mentions of the template', async () => {
    const client = await connectV1({ url: desk.address('optimizer') });
    expect(await client.toolNames()).toEqual(['report']);
    await client.call('report', { city: 'Rome @rule:secret' });
    const content = lastRequest().body.messages.findLast(({ role }) => role === 'user')?.content;
    expect(content).toEqual([
      { type: 'text', text: '[resource rule:shape]\nReply with JSON only.' },
      {
        type: 'text',
        text: 'Follow @rule:shape for Rome @rule:secret and reply with {"city": {"name": "Rome @rule:secret", "temperature": {temperature}}}',
      },
    ]);
    await client.close();
    expect(desk.hub.problems().filter(({ agentId }) => agentId === 'optimizer')).toMatchObject([
      { message: expect.stringContaining('{temperature} names no parameter of the tool and stays as text.') },
    ]);
  });

  it('is served by zoo agent serve --http, with its tools and its card', async () => {
    const args = ['agent', 'serve', join(folder, 'optimizer.yaml'), '--http', '--bind', '127.0.0.1:0'];
    // The agent of the config has the same id as the file would get.
    const env = { ...desk.env, ZOO_CONFIG: join(folder, 'empty.toml') };
    await writeFile(join(folder, 'empty.toml'), '[engine]\nmodel = "openai-compatible/scripted"\n');
    await using zoo = startZoo(args, { cwd: desk.folder, env });
    const [, origin = ''] = await zoo.says(/(http:\/\/127\.0\.0\.1:\d+)\/agents\/optimizer\/\.well-known/);
    const card = await fetch(`${origin}/agents/optimizer/.well-known/agent-card.json`);
    expect(await card.json()).toMatchObject({ name: 'Optimizer', url: `${origin}/agents/optimizer/a2a` });
    expect((await fetch(`${origin}/agents/optimizer/mcp`, { method: 'POST' })).status).toBe(401);
    expect((await fetch(`${origin}/agents/desk/.well-known/agent-card.json`)).status).toBe(404);
  });

  it('answers other agents over A2A', async () => {
    const { status, body } = await send('optimizer', { text: 'Hello' });
    expect([status, body.result.status.state]).toEqual([200, 'completed']);
  });
});

interface A2aReply {
  result: {
    id: string;
    contextId: string;
    status: { state: string; message?: { role: string; parts: { kind: string; text: string }[] } };
  };
  error?: { message: string };
}

/** Sends a message as TsAgent's client does, which speaks A2A 0.3. */
function send(agentId: string, { text, contextId, key }: { text: string; contextId?: string; key?: string }) {
  const message = { kind: 'message', messageId: 'm1', role: 'user', parts: [{ kind: 'text', text }], contextId };
  return desk.call<A2aReply>('POST', `/agents/${agentId}/a2a`, {
    body: { jsonrpc: '2.0', id: 1, method: 'message/send', params: { message } },
    ...(key !== undefined && { headers: { authorization: `Bearer ${key}` } }),
  });
}

function rpc(agentId: string, method: string, params: object, key?: string) {
  return desk.call<A2aReply & { result: { tasks: { contextId: string }[] } }>('POST', `/agents/${agentId}/a2a`, {
    body: { jsonrpc: '2.0', id: 1, method, params },
    ...(key !== undefined && { headers: { authorization: `Bearer ${key}` } }),
  });
}

async function newKey(name: string): Promise<string> {
  const { stdout } = await runZoo(['key', 'create', name], { cwd: desk.folder, env: desk.env });
  return stdout.trim().split(/\s+/).at(-1) ?? '';
}

describe("TsAgent's A2A client", () => {
  it('finds the card by the list of agents, with provider, icon and documentation', async () => {
    const { body } = await desk.call<{ agents: Record<string, string>[]; count: number }>('GET', '/agents');
    expect(body.count).toBe(3);
    const listed = body.agents.find(({ id }) => id === 'desk');
    expect(listed).toMatchObject({ name: 'Help Desk', path: '/agents/desk', url: `${desk.server.url}/agents/desk` });
    const card = await (await fetch(listed?.agentCard ?? '')).json();
    expect(card).toMatchObject({
      provider: { organization: 'Desk Inc', url: 'https://desk.example' },
      iconUrl: 'https://desk.example/icon.png',
      documentationUrl: 'https://desk.example/docs',
      skills: [{ id: 'help', tags: ['help'], examples: ['Where is my parcel?'] }],
    });
  });

  it('reads the answer in status.message', async () => {
    const { body } = await send('desk', { text: 'Hello' });
    expect(body.result.status.message).toMatchObject({ role: 'agent', parts: [{ kind: 'text', text: 'Done.' }] });
    const again = await rpc('desk', 'tasks/get', { id: body.result.id });
    expect(again.body.result.status.message?.parts[0]?.text).toBe('Done.');
  });

  it('names its own context and continues it, and another caller with the same name has another conversation', async () => {
    const [ann, ben] = [await newKey('ann'), await newKey('ben')];
    const first = await send('desk', { text: 'My name is Ann.', contextId: 'session 1', key: ann });
    expect(first.body.result.contextId).toBe('session 1');
    const second = await send('desk', { text: 'Who am I?', contextId: 'session 1', key: ann });
    expect(second.body.result.contextId).toBe('session 1');
    expect(JSON.stringify(lastRequest().body.messages)).toContain('My name is Ann.');
    const other = await send('desk', { text: 'Who is Ann?', contextId: 'session 1', key: ben });
    expect(other.body.result.contextId).toBe('session 1');
    expect(JSON.stringify(lastRequest().body.messages)).not.toContain('My name is Ann.');
    // Neither the task nor the chat behind it is visible to the other caller.
    const { id } = first.body.result;
    expect((await rpc('desk', 'tasks/get', { id }, ben)).body.error?.message).toContain('has no task');
    const chatId = id.split('.')[0];
    expect((await send('desk', { text: 'Hi', contextId: chatId ?? '', key: ben })).body.error?.message).toContain(
      'There is no conversation',
    );
    const listed = await rpc('desk', 'ListTasks', { contextId: 'session 1' }, ann);
    expect(listed.body.result.tasks).toHaveLength(2);
    const all = await rpc('desk', 'ListTasks', { pageSize: 100 }, ben);
    expect(all.body.result.tasks.filter(({ contextId }) => contextId === 'session 1')).toHaveLength(1);
  });

  it('shares no conversation with another key of the same name, not even through the tool', async () => {
    const ask = (key: string, message: string) =>
      desk.call('POST', '/tools/a2a_send_message', {
        body: { agent: 'desk', message, contextId: 'session-2' },
        headers: { authorization: `Bearer ${key}` },
      });
    const [one, other] = [await newKey('ann'), await newKey('ann')];
    expect((await ask(one, 'My cat is called Mia.')).status).toBe(200);
    expect((await ask(other, 'What is my cat called?')).status).toBe(200);
    expect(JSON.stringify(lastRequest().body.messages)).not.toContain('Mia');
    await ask(one, 'And now?');
    expect(JSON.stringify(lastRequest().body.messages)).toContain('Mia');
  });
});
