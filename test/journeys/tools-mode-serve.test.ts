import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runZooProcess, startZoo, zooScript } from '../support/command/run-zoo.ts';
import { npmServer } from '../support/servers/npm-servers.ts';
import {
  bookFlight,
  type FlightDesk,
  openFlightDesk,
  paris,
  parisPrompt,
  questionOf,
} from '../support/tools/book-flight.ts';

let desk: FlightDesk;
beforeAll(async () => {
  desk = await openFlightDesk((request) => ({ text: `Asked: ${questionOf(request)}` }));
  await desk.store();
});
afterAll(() => desk.end());

/** A TsAgent agent file, with tools in its metadata. */
const file = (tools: object[], version = '1.0.0') => ({
  metadata: { name: 'My Tools Agent', description: 'Books.', version, mode: 'tools', tools },
  settings: { toolPermission: 'never' },
  systemPrompt: 'You book.',
  mcpServers: { files: { command: process.execPath, args: [npmServer('filesystem'), desk.folder] } },
});

async function serveFile(path: string): Promise<Client> {
  const client = new Client({ name: 'journey', version: '1' });
  const env = { PATH: process.env.PATH ?? '', HOME: desk.folder, ...desk.env };
  const args = [zooScript, 'agent', 'serve', path];
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args, env, cwd: desk.folder, stderr: 'inherit' }),
  );
  return client;
}

it('a TsAgent file is served on stdio with its servers, and the client is notified when it is saved', async () => {
  const path = join(desk.folder, 'desk.json');
  await writeFile(path, JSON.stringify(file([bookFlight])));
  const client = await serveFile('./desk.json');
  expect(client.getServerVersion()).toEqual({ name: 'My Tools Agent', version: '1.0.0' });
  const asked = desk.model.requests.length;
  const result = await client.callTool({ name: 'book_flight', arguments: paris });
  expect(result.content).toEqual([{ type: 'text', text: `Asked: ${parisPrompt}` }]);
  const offered = desk.model.requests[asked]?.body.tools?.map((tool) => tool.function.name) ?? [];
  expect(offered).toContain('mcp__files__read_text_file');

  const changed = new Promise<void>((resolve) =>
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => resolve()),
  );
  await writeFile(path, JSON.stringify(file([bookFlight, { ...bookFlight, name: 'rebook' }], '1.1.0')));
  await changed;
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['book_flight', 'rebook']);
  await client.close();
});

it.each([
  ['gone.json', /gone\.json/],
  ['broken.json', /broken\.json.*prompt.*\{destinatoin\}.*did you mean \{destination\}/],
])('zoo agent serve %s ends with an error message', async (name, message) => {
  const broken = { ...bookFlight, prompt: 'To {destinatoin}' };
  await writeFile(join(desk.folder, 'broken.json'), JSON.stringify(file([broken])));
  const { code, stdout, stderr } = await runZooProcess(['agent', 'serve', `./${name}`], {
    cwd: desk.folder,
    env: desk.env,
  });
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(message);
});

it('zoo agent serve --http serves only this agent until it is stopped', async () => {
  const args = ['agent', 'serve', 'flights', '--http', '--bind', '127.0.0.1:0'];
  await using zoo = startZoo(args, { cwd: desk.folder, env: desk.env });
  const [, origin = ''] = await zoo.says(/(http:\/\/127\.0\.0\.1:\d+)\/agents\/flights\/mcp/);
  const client = new Client({ name: 'journey', version: '1' });
  const headers = { ...desk.owner };
  const address = new URL(`${origin}/agents/flights/mcp`);
  expect((await fetch(address, { method: 'POST' })).status).toBe(401);
  await client.connect(new StreamableHTTPClientTransport(address, { requestInit: { headers } }));
  const result = await client.callTool({ name: 'book_flight', arguments: paris });
  expect(result.content).toEqual([{ type: 'text', text: `Asked: ${parisPrompt}` }]);
  for (const path of ['/', '/mcp', '/api/agents', '/agents/other/mcp', '/agents/list']) {
    const answer = await fetch(`${origin}${path}`);
    expect([path, answer.status]).toEqual([path, 404]);
    expect(await answer.text()).toContain('offers only the agent \\"flights\\"');
  }
  await client.close();
  zoo.process.kill('SIGTERM');
  expect((await zoo.ended).code).toBe(0);
});
