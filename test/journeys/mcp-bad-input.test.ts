import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAgent } from '../../src/agents/edit-agents.ts';
import { createHub, type Hub } from '../../src/index.ts';
import { type RunningZoo, startZoo, type ZooFolder, zooFolder } from '../support/command/run-zoo.ts';

/** Bad calls as they arrive: the arguments are JSON text, because some of them no JSON writer would write. */
const deep = 1_000_000;
const cases: [name: string, tool: string, args: string, code: string][] = [
  ['a missing field', 'agent_zoo_inject', '{}', 'INVALID_ARGUMENTS'],
  ['a wrong type', 'agent_zoo_inject', '{"agentId":7}', 'INVALID_ARGUMENTS'],
  ['a list for an object', 'agent_zoo_inject', '["wizard"]', 'INVALID_ARGUMENTS'],
  ['a field too many', 'agent_zoo_list_agents', '{"all":true}', 'INVALID_ARGUMENTS'],
  ['an unknown format', 'agent_zoo_inject', '{"agentId":"wizard","format":"xml"}', 'INVALID_FORMAT'],
  ['an unknown agent', 'agent_zoo_inject', '{"agentId":"nobody"}', 'AGENT_NOT_FOUND'],
  ['an id like a property of objects', 'agent_zoo_get_agent', '{"agentId":"constructor"}', 'AGENT_NOT_FOUND'],
  ['an id of 1 MB', 'agent_zoo_get_agent', `{"agentId":"${'x'.repeat(1_000_000)}"}`, 'INVALID_ARGUMENTS'],
  ['a key called __proto__', 'agent_zoo_inject', '{"agentId":"wizard","__proto__":{"admin":true}}', 'parse'],
  ['an escaped __proto__', 'agent_zoo_inject', '{"agentId":"wizard","\\u005f_proto__":{}}', 'parse'],
  [
    'a depth of a million',
    'agent_zoo_create_brain_entry',
    `{"metadata":${'['.repeat(deep)}${']'.repeat(deep)}}`,
    'parse',
  ],
  [
    'a brain type that is none',
    'agent_zoo_create_brain_entry',
    '{"agentId":"wizard","type":"idea","content":"x"}',
    'INVALID_ARGUMENTS',
  ],
  [
    'an empty brain entry',
    'agent_zoo_create_brain_entry',
    '{"agentId":"wizard","type":"note","content":" "}',
    'INVALID_ARGUMENTS',
  ],
  [
    'a brain entry for nobody',
    'agent_zoo_create_brain_entry',
    '{"agentId":"nobody","type":"note","content":"x"}',
    'AGENT_NOT_FOUND',
  ],
  [
    'a change of an unknown entry',
    'agent_zoo_update_brain_entry',
    '{"agentId":"wizard","entryId":"none","pinned":true}',
    'NOT_FOUND',
  ],
  ['deleting an unknown entry', 'agent_zoo_delete_brain_entry', '{"agentId":"wizard","entryId":"none"}', 'NOT_FOUND'],
  [
    'a date that is none',
    'agent_zoo_query_brain_entries',
    '{"agentId":"wizard","dateFrom":"yesterday"}',
    'INVALID_ARGUMENTS',
  ],
  ['an unknown tool', 'agent_zoo_format_disk', '{}', 'UNKNOWN_TOOL'],
  ['a tool name of 1 MB', 'x'.repeat(1_000_000), '{}', 'UNKNOWN_TOOL'],
];

interface RpcAnswer {
  result?: { isError?: boolean; content: { text: string }[] };
  error?: { code: number; message: string };
}

let folder: ZooFolder;
let serving: RunningZoo;
let stdio: RunningZoo;
let hub: Hub;
let send: Record<'stdio' | 'HTTP', (line: string) => Promise<RpcAnswer>>;

beforeAll(async () => {
  folder = await zooFolder({ isNew: true });
  hub = await createHub({ db: { path: `${folder.dir}/home/zoo.sqlite` }, watch: false });
  await createAgent(hub, { name: 'Wizard', systemPrompt: 'You are a wizard.' });
  serving = startZoo(['serve', '--bind', '127.0.0.1:0'], { cwd: folder.dir });
  stdio = startZoo(['mcp'], { cwd: folder.dir });
  const [url] = await serving.says(/http:\/\/127\.0\.0\.1:\d+/);
  const { stdin, stdout } = stdio.process;
  if (!stdin || !stdout) throw new Error('zoo mcp has no pipes');
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
  const init = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  const first = JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params: init });
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  const opened = await fetch(`${url}/mcp`, { method: 'POST', headers, body: first });
  headers['mcp-session-id'] = opened.headers.get('mcp-session-id') ?? '';
  send = {
    async stdio(line) {
      stdin.write(`${line}\n`);
      return JSON.parse((await lines.next()).value ?? 'null');
    },
    HTTP: async (line) => (await fetch(`${url}/mcp`, { method: 'POST', headers, body: line })).json(),
  };
  await send.stdio(first);
});

afterAll(async () => {
  await hub?.close();
  await serving?.[Symbol.asyncDispose]();
  await stdio?.[Symbol.asyncDispose]();
  await folder?.[Symbol.asyncDispose]();
});

async function state(): Promise<unknown> {
  await hub.agents.refresh();
  return { agents: hub.agents.list(), brain: await hub.brain.query('wizard', {}) };
}

describe.each(['stdio', 'HTTP'] as const)('over %s', (transport) => {
  it.each(cases)('%s gets a reply, changes nothing and ends nothing', async (_name, tool, args, code) => {
    const before = await state();
    const answer = await send[transport](
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${tool}","arguments":${args}}}`,
    );
    if (code === 'parse') {
      expect(answer.error?.code).toBeLessThan(-32_000);
      expect(answer.error?.message).not.toBe('');
    } else {
      expect(answer.result?.isError).toBe(true);
      const said = JSON.parse(answer.result?.content[0]?.text ?? 'null');
      expect(said).toMatchObject({ error: true, code });
      expect(said.message.length).toBeGreaterThan(10);
      expect(said.message.length).toBeLessThan(2_000);
      expect(said.message).not.toContain('    at ');
    }
    expect(await state()).toEqual(before);
    const alive = await send[transport](
      '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"agent_zoo_inject","arguments":{"agentId":"wizard"}}}',
    );
    expect(alive.result?.content[0]?.text).toContain('You are now Wizard.');
  });
});
