import { readdir, readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { TaskState } from '@a2a-js/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PeerAnswer } from '../../src/a2a/peer.ts';
import { type HubError, isRetryable } from '../../src/base/hub-error.ts';
import { ownerCaller } from '../../src/callers/callers.ts';
import { silentToolClient } from '../../src/tools/tool-client.ts';
import { asTask, autonomousAgent, connect, openPeerHub, type PeerHub, say } from '../support/hubs/a2a-hub.ts';
import { serveTestHub, type TestHub } from '../support/hubs/serve-test-hub.ts';
import type { ModelStep, RecordedModelRequest } from '../support/models/model-server.ts';
import { questionOf, toolsOffered } from '../support/tools/book-flight.ts';

function answer(request: RecordedModelRequest): ModelStep {
  const last = request.body.messages.at(-1);
  if (JSON.stringify(request.body.messages[0]).includes('You scheme.')) return scheme(request);
  const question = questionOf(request);
  if (last?.role === 'tool') return { text: `It said ${JSON.stringify(last.content)}` };
  if (question.startsWith('pay')) return { toolCalls: [{ name: 'pay', arguments: { amount: 7 } }] };
  if (question.startsWith('hang')) return { text: ['Hm', 'm'], hangAfter: 2 };
  if (question.startsWith('loop') && toolsOffered(request).includes('a2a_send_message')) {
    const input = { agent: 'looper', message: 'loop on' };
    return { toolCalls: [{ name: 'a2a_send_message', arguments: input }] };
  }
  const said = request.body.messages.filter(({ role }) => role === 'user').length;
  return { text: `You said "${question}" as message ${said}.` };
}

/** Asks the clerk to pay, and tries to approve the payment, which only a person may do. */
function scheme({ body }: RecordedModelRequest): ModelStep {
  const heard = body.messages.filter(({ role }) => role === 'tool').map(({ content }) => String(content));
  const usage = { input: 10, output: 5 };
  const call = (input: object): ModelStep => ({ toolCalls: [{ name: 'a2a_send_message', arguments: input }], usage });
  // The last one goes through a peer that leads back to this hub.
  const whom = heard.length === 3 ? { peer: 'myself' } : { agent: 'clerk' };
  if (heard.length === 0) return call({ ...whom, message: 'pay the bill' });
  const [taskId, contextId] = /(chat_\w+)\.run_\w+/.exec(heard[0] ?? '') ?? [];
  const attempts = [
    { taskId, message: 'approve' },
    { contextId, message: 'always' },
    { contextId, message: 'approve' },
  ];
  const attempt = attempts[heard.length - 1];
  return attempt === undefined ? { text: heard.slice(1).join(' | '), usage } : call({ ...whom, ...attempt });
}

const secret = 'a-word-that-is-nobodys-business';
let office: PeerHub;
let old: OldPeer;
let outer: TestHub;
beforeAll(async () => {
  old = await startOldPeer(() => office.url('clerk'));
  office = await openPeerHub(answer, {
    toml: `[a2a.peers.myself]\nurl = "${old.url}/old"`,
    agents: [
      autonomousAgent('clerk', { tools: ['pay'], toolPermission: 'tool' }),
      autonomousAgent('looper', { tools: ['a2a_*'] }),
      autonomousAgent('schemer', { tools: ['a2a_*'], systemPrompt: 'You scheme.' }),
    ],
  });
  outer = await serveTestHub({
    env: { OFFICE_WORD: secret },
    toml: [
      `[a2a.peers.office]\nurl = "${office.url('clerk')}"`,
      `[a2a.peers.old]\nurl = "${old.url}/old"\nbearer = "\${OFFICE_WORD}"\nheaders = { "X-Desk" = "7" }`,
      `[a2a.peers.astray]\nurl = "${old.url}/astray/card.json"\nbearer = "\${OFFICE_WORD}"`,
      `[a2a.peers.moved]\nurl = "${old.url}/moved"`,
      `[a2a.peers.endless]\nurl = "${old.url}/endless"`,
      `[a2a.peers.gone]\nurl = "http://127.0.0.1:1/agents/x"`,
      ...['lost', 'halved', 'gateway', 'closed'].map((name) => `[a2a.peers.${name}]\nurl = "${old.url}/${name}"`),
    ].join('\n'),
  });
});
afterAll(async () => {
  await outer.end();
  await old.close();
  await office.end();
});

async function send(
  input: object,
  options: { signal?: AbortSignal; on?: TestHub; said?: string[]; depth?: number } = {},
) {
  const { hub } = options.on ?? outer;
  const progress = (_: number, told?: { message?: string }) => void options.said?.push(told?.message ?? '');
  const outcome = await hub.execute({
    caller: { ...ownerCaller('mcp'), depth: options.depth },
    tool: 'a2a_send_message',
    input,
    signal: options.signal,
    client: { ...silentToolClient, progress },
  });
  if (!outcome.ok) throw outcome.error;
  return outcome.data as PeerAnswer;
}

describe('the A2A tools', () => {
  it('exist while there is an agent or peer to send messages to', async () => {
    const names = ({ hub }: TestHub) => hub.tools.list().filter(({ name }) => name.startsWith('a2a_'));
    expect(names(outer)).toHaveLength(2);
    expect(names(office.hub)).toHaveLength(2);
    const alone = await serveTestHub();
    expect(names(alone)).toHaveLength(0);
    const changed = new Promise<void>((resolve) =>
      alone.hub.tools.changes.on(() => names(alone).length > 0 && resolve()),
    );
    alone.hub.agents.register(autonomousAgent('late'));
    await changed;
    await alone.end();
  });

  it('list the agents of the hub and the peers, including unreachable ones', async () => {
    const list = async ({ hub }: TestHub) => {
      const outcome = await hub.execute({ caller: ownerCaller('mcp'), tool: 'a2a_list_agents', input: {} });
      if (!outcome.ok) throw outcome.error;
      return (outcome.data as { agents: Record<string, unknown>[] }).agents;
    };
    expect(await list(office.hub)).toEqual([
      expect.objectContaining({ agent: 'clerk', name: 'The clerk', description: 'Works as clerk.' }),
      expect.objectContaining({ agent: 'looper' }),
      expect.objectContaining({ agent: 'schemer' }),
      expect.objectContaining({ peer: 'myself', name: 'The clerk' }),
    ]);
    const elsewhere = Object.fromEntries((await list(outer)).map(({ peer, ...rest }) => [peer, rest]));
    expect(elsewhere.office).toMatchObject({ name: 'The clerk', skills: [{ id: 'clerk' }] });
    expect(elsewhere.old).toMatchObject({ name: 'The clerk' });
    expect(elsewhere.gone).toEqual({ error: expect.stringMatching(/peer "gone" could not be contacted/) });
  });
});

describe('a message to a peer', () => {
  it.each(['office', 'old'])('is answered, and the conversation continues: %s', async (peer) => {
    const first = await send({ peer, message: 'hello' });
    expect(first).toMatchObject({ text: 'You said "hello" as message 1.', state: 'completed' });
    const { contextId } = first;
    const second = await send({ peer, message: 'again', contextId });
    expect(second).toMatchObject({ text: 'You said "again" as message 2.', contextId });
    expect(second.taskId).not.toBe(first.taskId);
  });

  it('cannot make it use a tool that needs approval', async () => {
    const said: string[] = [];
    const before = office.paid.length;
    const answered = await send({ peer: 'office', message: 'pay the bill' }, { said });
    expect(answered).toMatchObject({ state: 'completed', text: expect.stringContaining('There is no tool') });
    expect(said).toEqual(['The agent is calling the tool "pay".']);
    const { contextId, taskId } = answered;
    await expect(send({ peer: 'office', message: 'approve', contextId, taskId })).rejects.toThrow(/has ended/);
    expect(office.paid).toHaveLength(before);
  });

  it('that is cancelled is cancelled there', async () => {
    const asked = office.model.requests.length;
    const cancelling = new AbortController();
    const sending = send({ peer: 'office', message: 'hang on' }, { signal: cancelling.signal });
    await office.model.requested(asked + 1);
    cancelling.abort();
    await expect(sending).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(await office.model.requests.at(-1)?.outcome).toBe('gone');
  });

  it('is in the decision log of both, and its secrets are nowhere', async () => {
    await send({ peer: 'old', message: 'hello' });
    expect(old.headers.at(-1)).toMatchObject({ authorization: `Bearer ${secret}`, 'x-desk': '7' });
    const { entries } = await outer.hub.decisions.page({ tool: 'a2a_send_message' });
    expect(entries.slice(0, 2).map(({ kind }) => kind)).toEqual(['result', 'invocation']);
    expect(JSON.stringify(outer.logged)).not.toContain(secret);
    for (const file of await readdir(outer.folder)) {
      if (file.startsWith('zoo.sqlite'))
        expect((await readFile(join(outer.folder, file))).includes(secret)).toBe(false);
    }
  });

  it.each([
    ['nobody', /no peer "nobody"/, 'NOT_FOUND'],
    ['offic', /Did you mean "office"/, 'NOT_FOUND'],
    ['gone', /could not be contacted: fetch failed \(.+\)/, 'UNAVAILABLE'],
    ['astray', /another host/, 'TOOL_ERROR'],
    ['moved', /could not be contacted/, 'UNAVAILABLE'],
    ['endless', /more than \d+ bytes/, 'TOO_LARGE'],
  ])('fails with an explanation: %s', async (peer, message, code) => {
    const before = old.headers.length;
    await expect(send({ peer, message: 'hello' })).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
    // Only the card was requested.
    expect(old.headers.slice(before)).toEqual([]);
  });

  it.each([
    ['before it is replied to', 'lost', true],
    ['in the middle of the reply', 'halved', true],
    ['with a gateway that gave up', 'gateway', true],
    ['by a gateway that lets nobody in', 'closed', false],
  ])('that fails %s reports whether the peer may have received it', async (_, peer, mayHaveRun) => {
    const thrown: unknown = await send({ peer, message: 'hello' }).catch((error: unknown) => error);
    expect(thrown).toMatchObject({ code: 'UNAVAILABLE', details: { mayHaveRun } });
    expect(isRetryable(thrown as HubError)).toBe(!mayHaveRun);
    const words = mayHaveRun
      ? /may have received the message, so check before you send it again/
      : /could not be contacted/;
    expect((thrown as HubError).message).toMatch(words);
  });

  it("that the peer refuses fails with the peer's message", async () => {
    await expect(send({ peer: 'office', message: 'hi', contextId: 'chat_x' })).rejects.toMatchObject({
      code: 'TOOL_ERROR',
      message: expect.stringMatching(/peer "office" refused.*no conversation/),
    });
  });

  it('names one agent, here or elsewhere', async () => {
    for (const whom of [{}, { agent: 'clerk', peer: 'office' }]) {
      await expect(send({ ...whom, message: 'hi' })).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' });
    }
  });
});

describe('a message to an agent of the hub', () => {
  it('is a task like one from a remote caller', async () => {
    const first = await send({ agent: 'clerk', message: 'hello' }, { on: office.hub });
    expect(first).toMatchObject({ text: 'You said "hello" as message 1.', state: 'completed' });
    const task = await (await connect(office.url('clerk'))).getTask({ tenant: '', id: first.taskId });
    expect(task.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
    await expect(send({ agent: 'nobody', message: 'hi' }, { on: office.hub })).rejects.toMatchObject({
      code: 'AGENT_NOT_FOUND',
    });
  });

  it('that is cancelled stops its model', async () => {
    const asked = office.model.requests.length;
    const cancelling = new AbortController();
    const sending = send({ agent: 'clerk', message: 'hang on' }, { on: office.hub, signal: cancelling.signal });
    await office.model.requested(asked + 1);
    cancelling.abort();
    await expect(sending).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(await office.model.requests.at(-1)?.outcome).toBe('gone');
  });

  it('from an agent cannot approve a call, not even through a peer that leads back to the hub', async () => {
    const paidBefore = office.paid.length;
    const { result } = await office.hub.hub.runAgent({ agentId: 'schemer', input: 'Go.', approve: () => 'approve' });
    const { text, status } = await result;
    expect(status).toBe('completed');
    expect(text).toMatch(/has ended.*\|.*always.*\|.*approve/s);
    expect(office.paid).toHaveLength(paidBefore);
  });

  it('over MCP cannot approve a call, whoever sends it', async () => {
    const before = office.paid.length;
    const { taskId, contextId } = await send({ agent: 'clerk', message: 'pay the bill' }, { on: office.hub });
    for (const depth of [0, 1]) {
      await expect(send({ agent: 'clerk', taskId, message: 'approve' }, { on: office.hub, depth })).rejects.toThrow(
        /has ended/,
      );
      await send({ agent: 'clerk', contextId, message: 'approve' }, { on: office.hub, depth });
    }
    expect(office.paid).toHaveLength(before);
  });

  it('is paid from the budget of the run that sends it', async () => {
    const { result } = await office.hub.hub.runAgent({
      agentId: 'looper',
      input: 'loop',
      budget: { maxTokens: 1_000 },
    });
    const { usage, together } = await result;
    expect(together.usage.inputTokens).toBeGreaterThan(usage.inputTokens);
  });

  it('from an agent to itself ends at depth five', async () => {
    const before = office.model.requests.length;
    const client = await connect(office.url('looper'));
    const task = asTask(await client.sendMessage(say('loop')));
    expect(task.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
    const asked = office.model.requests.slice(before).filter(({ body }) => body.messages.at(-1)?.role === 'user');
    expect(asked).toHaveLength(5);
    expect(JSON.stringify(task)).toContain('5 levels deep');
  });
});

interface OldPeer {
  url: string;
  /** The headers of the received messages. */
  headers: IncomingMessage['headers'][];
  close(): Promise<void>;
}

/** A peer with a 0.3-only card in front of the office, and untrustworthy peers. */
async function startOldPeer(target: () => string): Promise<OldPeer> {
  const headers: OldPeer['headers'] = [];
  const server: Server = createServer((request, response) => {
    void answerPeer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    headers,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };

  async function answerPeer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '';
    if (path.startsWith('/moved')) return void response.writeHead(302, { location: `${url}/old` }).end();
    if (path.startsWith('/endless')) {
      response.writeHead(200, { 'content-type': 'application/json' });
      const more = () => response.write(' '.repeat(1024 * 1024), (error) => error ?? more());
      return void more();
    }
    if (request.method === 'GET') {
      const card = await (await fetch(`${target()}/.well-known/agent-card.json`)).json();
      const { supportedInterfaces: _, ...legacy } = card as Record<string, unknown>;
      const own = `${url}/${path.split('/')[1]}`;
      const elsewhere = path.startsWith('/astray') ? card : { ...legacy, url: own };
      return void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(elsewhere));
    }
    if (path === '/lost') return void request.once('data', () => response.destroy());
    if (path === '/gateway') return void response.writeHead(504).end('<h1>Gateway Timeout</h1>');
    if (path === '/closed') return void response.writeHead(403).end('<h1>Forbidden</h1>');
    if (path === '/halved') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      return void response.write('event: message\n', () => response.destroy());
    }
    headers.push(request.headers);
    const body = Buffer.concat(await request.toArray()).toString();
    const version = request.headers['a2a-version'];
    const answered = await fetch(`${target()}/a2a`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', ...(typeof version === 'string' && { 'a2a-version': version }) },
    });
    response.writeHead(answered.status, { 'content-type': answered.headers.get('content-type') ?? '' });
    for await (const chunk of answered.body ?? []) response.write(chunk);
    response.end();
  }
}
