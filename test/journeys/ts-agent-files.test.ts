import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { owner } from '../../src/callers/callers.ts';
import { connectV1 } from '../support/clients/mcp-clients.ts';
import { runZoo } from '../support/command/run-zoo.ts';
import type { ModelStep, RecordedModelRequest } from '../support/models/model-server.ts';
import { npmServer } from '../support/servers/npm-servers.ts';
import { type FlightDesk, openFlightDesk, questionOf, toolsOffered } from '../support/tools/book-flight.ts';

/** A file as TsAgent writes it, with a real server that reads files of its own folder. */
const agentFile = (prompt = 'Book a flight to {trip.city}. Notes: {notes}') => `
metadata:
  name: Travel Desk
  version: 1.4.0
  description: Books flights from notes.
  mode: tools
  created: 2025-04-07T17:32:29.081Z
  tools:
    - name: book_flight
      description: Books a flight ticket for a user.
      parameters:
        type: object
        properties:
          trip:
            type: object
            properties:
              city: { type: string, minLength: 2 }
            required: [city]
          notes: { type: array, items: { type: string }, uniqueItems: true }
        required: [trip]
      prompt: "${prompt}"
settings:
  temperature: "0.25"
  toolPermission: never
systemPrompt: You are a travel agent.
rules:
  - { name: budget, priorityLevel: 100, text: Nothing above 500., include: always }
  - { name: seats, text: Ask for a window., include: agent }
references: []
mcpServers:
  notes:
    type: stdio
    command: ${JSON.stringify(process.execPath)}
    args: [${JSON.stringify(npmServer('filesystem'))}, "."]
    serverToolDefaults: { permissionRequired: false, include: always }
`;

/** Reads the notes when it is asked first, then tells what it found. */
function readNotes(request: RecordedModelRequest): ModelStep {
  const last = request.body.messages.at(-1);
  if (last?.role === 'tool') return { text: `Found: ${JSON.stringify(last.content)}` };
  return { toolCalls: [{ name: 'mcp__notes__read_text_file', arguments: { path: join(folder, 'notes.txt') } }] };
}

let folder: string;
let desk: FlightDesk;
beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'zoo-ts-agent-')));
  await writeFile(join(folder, 'travel.yaml'), agentFile());
  await writeFile(join(folder, 'notes.txt'), 'Window seat, please.');
  const toml = `[agents.file.travel]\npath = ${JSON.stringify(join(folder, 'travel.yaml'))}\n`;
  desk = await openFlightDesk(readNotes, { toml });
  await desk.hub.servers.discover();
});
afterAll(async () => {
  await desk.end();
  await rm(folder, { recursive: true, force: true });
});

it('an agent file of TsAgent is an agent of the hub with its rules, settings and servers', async () => {
  const { body } = await desk.call('GET', '/api/agents/travel');
  expect(body).toMatchObject({ name: 'Travel Desk', version: '1.4.0', mode: 'tools', editable: false });
  const [server] = (await desk.hub.servers.open()).list().filter(({ name }) => name === 'notes');
  expect(server).toMatchObject({ name: 'notes', place: expect.stringContaining('travel.yaml [mcpServers.notes]') });
  expect(desk.hub.tools.list().map(({ name }) => name)).toContain('mcp__notes__read_text_file');
});

it('its tool is called by an MCP client, with the tools of its own server', async () => {
  const client = await connectV1({ url: desk.address('travel') });
  expect(client.version).toBe('1.4.0');
  expect(await client.toolNames()).toEqual(['book_flight']);
  const result = await client.call('book_flight', { trip: { city: 'Rome {notes}' }, notes: ['$&', 'cheap'] });
  expect(result.content[0]?.text).toContain('Window seat, please.');
  const request = desk.model.requests.at(-1);
  if (!request) throw new Error('The model was not asked.');
  expect(questionOf(request)).toBe('Book a flight to Rome {notes}. Notes: ["$&","cheap"]');
  expect(JSON.stringify(request.body.messages[0])).toContain('## Rules\\n\\n### budget\\nNothing above 500.');
  expect(JSON.stringify(request.body.messages[0])).toContain('### seats\\nAsk for a window.');
  expect(request.body.temperature).toBe(0.25);
  expect(toolsOffered(request)).toContain('mcp__notes__read_text_file');
  expect(toolsOffered(request).every((name) => name.startsWith('mcp__notes__'))).toBe(true);
  await client.close();
});

it('arguments that break the schema are refused with path and rule, and no model is asked', async () => {
  const client = await connectV1({ url: desk.address('travel') });
  const asked = desk.model.requests.length;
  const refused = await client.call('book_flight', { trip: { city: 'R' }, notes: ['a'] });
  expect(refused.isError).toBe(true);
  expect(JSON.stringify(refused.content)).toContain('trip.city: must have at least 2 characters; it has 1');
  const twice = await client.call('book_flight', { trip: { city: 'Rome' }, notes: ['a', 'a'] });
  expect(JSON.stringify(twice.content)).toContain('notes: must not contain an item twice; items 0 and 1 are equal');
  expect(desk.model.requests).toHaveLength(asked);
  await client.close();
});

it('a broken file keeps its last valid version and is reported, and is used again when it is repaired', async () => {
  await writeFile(join(folder, 'travel.yaml'), agentFile('To {trip.cty}'));
  await desk.hub.agents.refresh();
  const problem = desk.hub.problems().find(({ agentId }) => agentId === 'travel');
  expect(problem?.message).toMatch(
    /travel\.yaml:21: metadata\.tools\[0\]\.prompt: \{trip\.cty\}: "trip" has no property "cty"; did you mean \{trip\.city\}\?/,
  );
  const client = await connectV1({ url: desk.address('travel') });
  expect((await client.call('book_flight', { trip: { city: 'Rome' } })).isError ?? false).toBe(false);
  await writeFile(join(folder, 'travel.yaml'), agentFile('Fly to {trip.city}'));
  await desk.hub.agents.refresh();
  expect(desk.hub.problems().filter(({ agentId }) => agentId === 'travel')).toEqual([]);
  await client.call('book_flight', { trip: { city: 'Oslo' } });
  const request = desk.model.requests.at(-1);
  expect(request && questionOf(request)).toBe('Fly to Oslo');
  await client.close();
});

it('the command line lists it and shows its prompt', async () => {
  const list = await runZoo(['agent', 'list'], { cwd: desk.folder, env: desk.env });
  expect(list.stdout).toContain('travel');
  const shown = await runZoo(['agent', 'show', 'travel', '--json'], { cwd: desk.folder, env: desk.env });
  expect(JSON.parse(shown.stdout)).toMatchObject({ id: 'travel', exposes: [{ name: 'book_flight' }] });
});

it('two agents with a server of one name have two: each writes into its own folder, and asks as its own file says', async () => {
  const folders: Record<string, string> = {};
  const permissions = { ann: 'tools: { read_text_file: { permissionRequired: false } }', bob: 'args: []' };
  let toml = '';
  for (const [name, rules] of Object.entries(permissions)) {
    const own = await realpath(await mkdtemp(join(tmpdir(), `zoo-ts-agent-${name}-`)));
    folders[name] = own;
    const args = rules.startsWith('args') ? '' : `\n    ${rules}`;
    const text = agentFile().replace('toolPermission: never', 'toolPermission: tool');
    await writeFile(
      join(own, 'agent.yaml'),
      text.replace('\n    serverToolDefaults: { permissionRequired: false, include: always }', args),
    );
    toml += `[agents.file.${name}]\npath = ${JSON.stringify(join(own, 'agent.yaml'))}\n`;
  }
  const two = await openFlightDesk(() => ({ text: 'Done.' }), { toml });
  try {
    await two.hub.servers.discover();
    for (const name of ['ann', 'bob']) {
      const path = join(folders[name] ?? '', 'written.txt');
      const caller = await two.hub.resolveCaller({ surface: 'http', from: owner, agent: name });
      const write = (tool: string) => two.hub.execute({ caller, tool, input: { path, content: name } });
      expect(await write(`mcp__${name}-notes__write_file`)).toMatchObject({ ok: true });
      expect(await readFile(path, 'utf8')).toBe(name);
      const other = name === 'ann' ? 'bob' : 'ann';
      expect(await write(`mcp__${other}-notes__write_file`)).toMatchObject({ ok: false });
      // Nobody can be asked: what needs a yes is not offered, however harmless the tool calls itself.
      const client = await connectV1({ url: two.address(name) });
      await client.call('book_flight', { trip: { city: 'Rome' } });
      await client.close();
      const request = two.model.requests.at(-1);
      expect(request && toolsOffered(request)).toEqual(name === 'ann' ? ['mcp__ann-notes__read_text_file'] : []);
    }
  } finally {
    await two.end();
    for (const own of Object.values(folders)) await rm(own, { recursive: true, force: true });
  }
});
