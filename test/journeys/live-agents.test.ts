import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createHub, defineAgent, type Hub, loadConfig, serveHttp } from '../../src/index.ts';
import { connectV1 } from '../support/clients/mcp-clients.ts';
import { type ZooFolder, zooFolder } from '../support/command/run-zoo.ts';

const config = `
[server]
anonymous = "work"
[agents.script.script]
path = "script.lua"
[agents.code.typed]
path = "typed.ts"
[tools.script.greet]
path = "greet.lua"
`;
const lua = (text: string) => `agent = {}\nfunction agent.resolve() return { system = "${text}" } end\n`;
const typed = (text: string) => `const system: string = '${text}';\nexport default { resolve: () => ({ system }) };\n`;
const tool = (text: string) =>
  `tool = { description = "${text}" }\nfunction tool.execute() return { said = "${text}" } end\n`;

let folder: ZooFolder;
let hub: Hub;
let server: Awaited<ReturnType<typeof serveHttp>>;
let client: Awaited<ReturnType<typeof connectV1>>;
const write = (name: string, text: string) => writeFile(join(folder.dir, name), text);

beforeEach(async () => {
  folder = await zooFolder();
  await write('zoo.toml', config);
  await write('script.lua', lua('one'));
  await write('typed.ts', typed('one'));
  await write('greet.lua', tool('one'));
  const home = folder.dir;
  const env = { AGENT_ZOO_HOME: join(home, 'home') };
  hub = await createHub({ config: await loadConfig({ explicitFile: 'zoo.toml', cwd: home, env, home }) });
  server = await serveHttp(hub, { host: '127.0.0.1', port: 0 });
  client = await connectV1({ url: `${server.url}/mcp` });
});
afterEach(async () => {
  await client.close();
  await server.close();
  await hub.close();
  await folder[Symbol.asyncDispose]();
});

test('an agent registered while the hub runs is announced, listed and resolved', async () => {
  expect(hub.problems()).toEqual([]);
  expect(await client.promptNames()).toEqual(['script', 'typed']);
  const agent = defineAgent({
    name: 'late',
    arguments: [{ name: 'topic', required: true }],
    resolve: (args) => ({ system: `You know ${args.topic}.` }),
  });
  hub.agents.register(agent);
  await client.promptsChanged();
  expect(await client.promptNames()).toEqual(expect.arrayContaining(['script', 'typed', 'late']));
  expect(await client.promptTexts('late', { topic: 'owls' })).toEqual(['You know owls.']);
  await expect(client.promptTexts('late')).rejects.toThrow(/topic/);
  expect(hub.agents.size).toBe(3);
  expect(() => hub.agents.register(agent)).toThrow(/Two agents have the id "late"/);
});

test('the next call uses saved scripts, code and tools; a broken one is reported, and the last good one stays', async () => {
  for (const name of ['script', 'typed']) expect(await client.promptTexts(name)).toEqual(['one']);
  await write('script.lua', lua('two'));
  await write('typed.ts', typed('two'));
  await write('greet.lua', tool('two'));
  await expect.poll(() => client.promptTexts('script')).toEqual(['two']);
  await expect.poll(() => client.promptTexts('typed')).toEqual(['two']);
  const said = async () => JSON.parse((await client.call('greet', {})).content[0]?.text ?? '').said;
  await expect.poll(said).toBe('two');

  for (const name of ['script.lua', 'typed.ts', 'greet.lua']) await write(name, 'x = = 1');
  await expect
    .poll(() =>
      hub
        .problems()
        .map(({ place }) => place)
        .sort(),
    )
    .toEqual(['greet.lua', 'script.lua', 'typed.ts']);
  expect(await client.promptTexts('script')).toEqual(['two']);
  expect(await client.promptTexts('typed')).toEqual(['two']);
  expect(await said()).toBe('two');
  expect(hub.problems().map(({ message }) => message)).toEqual(
    Array.from({ length: 3 }, () =>
      expect.stringMatching(
        /^(script\.lua|typed\.ts|greet\.lua)(:1)?: .*[^.]\. The last valid version stays in use\.$/,
      ),
    ),
  );
});
