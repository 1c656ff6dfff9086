import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { envelope, LineClient, listOf, type RpcAnswer } from '../../test/support/hubs/mcp-hub.ts';
import { createAgent } from '../agents/edit-agents.ts';
import { setWorkspace } from '../agents/set-workspace.ts';
import { loadConfig } from '../config/load-config.ts';
import { createHub, type Hub } from '../hub.ts';

let base: string;
let hub: Hub;
beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'zoo-workspace-')));
  for (const folder of ['shop/web', 'blog', 'hub']) await mkdir(join(base, folder), { recursive: true });
  await writeFile(join(base, 'hub', 'zoo.toml'), '[workspace]\nagent = "helper"\n');
  hub = await open();
  for (const name of ['Helper', 'Seller', 'Writer']) await createAgent(hub, { name });
});
afterEach(async () => {
  await hub.close();
  await rm(base, { recursive: true });
});

async function open(): Promise<Hub> {
  const cwd = join(base, 'hub');
  const config = await loadConfig({ explicitFile: 'zoo.toml', cwd, env: {}, home: base });
  return createHub({ config, db: { path: ':memory:' }, watch: false });
}

/** Lists the agents as a client that works in these folders, and returns the suggested ones. */
async function suggested(folders: string[]): Promise<string[]> {
  const client = new LineClient(hub);
  await client.initialize('2025-11-25', { roots: {} });
  const asked = client.until((message) => message.method === 'roots/list');
  const reply = client.request('tools/call', { name: 'agent_zoo_list_agents', arguments: {} });
  client.write({ jsonrpc: '2.0', id: (await asked).id, result: { roots: roots(folders) } });
  const ids = suggestedIn(await reply);
  client.input.end();
  await client.done;
  return ids;
}

const roots = (folders: string[]) => folders.map((each) => ({ uri: pathToFileURL(join(base, each)).href }));

function suggestedIn({ result }: RpcAnswer): string[] {
  const agents = listOf<{ id: string; suggested?: true }>({ result: Object(result?.structuredContent) }, 'agents');
  return agents.filter((agent) => agent.suggested).map(({ id }) => id);
}

describe('the suggested agent', () => {
  it("is the config's, unless the client works in a folder with its own", async () => {
    expect(await suggested(['blog'])).toEqual(['helper']);
    await setWorkspace(hub, { folder: join(base, 'shop'), agentId: 'seller' });
    expect(await suggested(['shop'])).toEqual(['seller']);
    expect(await suggested(['blog', 'shop/web'])).toEqual(['seller']);
    expect(await suggested(['blog'])).toEqual(['helper']);
    await setWorkspace(hub, { folder: join(base, 'shop', 'web'), agentId: 'writer' });
    expect(await suggested(['shop/web'])).toEqual(['writer']);
  });

  it("is named by the folder's own zoo.toml, but only if it exists", async () => {
    await writeFile(join(base, 'blog', 'zoo.toml'), '[workspace]\nagent = "writer"\n');
    expect(await suggested(['blog'])).toEqual(['writer']);
    await writeFile(join(base, 'blog', 'zoo.toml'), '[workspace]\nagent = "nobody"\n');
    expect(await suggested(['blog'])).toEqual(['helper']);
  });

  it('is found although the zoo.toml of a folder is a pipe', async () => {
    execFileSync('mkfifo', [join(base, 'blog', 'zoo.toml')]);
    expect(await suggested(['blog'])).toEqual(['helper']);
  });

  it('needs no roots', async () => {
    const client = new LineClient(hub);
    await client.initialize('2025-11-25');
    const list = () => client.request('tools/call', { name: 'agent_zoo_list_agents', arguments: {} });
    expect(suggestedIn(await list())).toEqual(['helper']);
    await setWorkspace(hub, { folder: base, agentId: 'writer' });
    expect(suggestedIn(await list())).toEqual(['writer']);
    client.input.end();
    await client.done;
  });

  it('is found for a stateless client, which calls again with its roots', async () => {
    await setWorkspace(hub, { folder: join(base, 'shop'), agentId: 'seller' });
    const client = new LineClient(hub);
    const call = { name: 'agent_zoo_list_agents', arguments: {}, ...envelope({ roots: {} }) };
    const first = await client.request('tools/call', call);
    expect(first.result).toMatchObject({
      resultType: 'input_required',
      inputRequests: { roots: { method: 'roots/list' } },
    });
    const inputResponses = { roots: { roots: roots(['shop']) } };
    const again = await client.request('tools/call', {
      ...call,
      inputResponses,
      requestState: first.result?.requestState,
    });
    expect(suggestedIn(again)).toEqual(['seller']);
    client.input.end();
    await client.done;
  });

  it('is reported as a problem if the config names one that does not exist', async () => {
    await writeFile(join(base, 'hub', 'zoo.toml'), '[workspace]\nagent = "nobody"\n');
    await hub.close();
    hub = await open();
    expect(hub.problems().map(({ message }) => message)).toEqual([
      'zoo.toml: [workspace] agent = "nobody": there is no such agent.',
    ]);
  });
});
