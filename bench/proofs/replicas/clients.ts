import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { serveHttp } from '../../../src/http/server/serve.ts';
import {
  connectV1,
  connectV2,
  inspector,
  type McpTarget,
  type McpTestClient,
} from '../../../test/support/clients/mcp-clients.ts';
import { type ConformanceHub, createConformanceHub } from '../../../test/support/conformance/conformance-hub.ts';
import { runSuite } from '../../../test/support/conformance/run-suite.ts';
import { startRoundRobinProxy } from '../../../test/support/hubs/round-robin-proxy.ts';
import { type Fleet, secret } from './fleet.ts';

const run = promisify(execFile);

/** Each client lists the tools and injects an agent a dozen times through the proxy. Returns a line for each, with its problem if it has one. */
export async function tryClients(fleet: Fleet): Promise<{ client: string; problem: string | undefined }[]> {
  const home = await mkdtemp(join(tmpdir(), 'zoo-clients-'));
  const target: McpTarget = { url: `${fleet.url}/mcp`, token: fleet.owner.authorization.slice('Bearer '.length) };
  const clients: [string, () => Promise<McpTestClient>][] = [
    ['SDK v1', () => connectV1(target)],
    ['SDK v2 with a session', () => connectV2(target, 'legacy')],
    ['SDK v2 without a session', () => connectV2(target, { pin: '2026-07-28' })],
    ['Inspector', async () => inspector(target, home)],
    ['mcporter', () => mcporter(target, home)],
  ];
  const tried = [];
  for (const [client, connect] of clients) tried.push({ client, problem: await problemOf(connect) });
  await rm(home, { recursive: true, force: true });
  return tried;
}

async function problemOf(connect: () => Promise<McpTestClient>): Promise<string | undefined> {
  try {
    const client = await connect();
    const tools = await client.toolNames();
    if (!tools.includes('agent_zoo_inject')) return `agent_zoo_inject is missing among ${tools.length} tools`;
    for (let call = 0; call < 12; call += 1) {
      const { isError, content } = await client.call('agent_zoo_inject', { agentId: 'proof' });
      if (isError || !JSON.stringify(content).includes('You are now Proof.'))
        return `call ${call}: ${JSON.stringify(content)}`;
    }
    await client.close();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** A client of its own, installed for the proof. It starts a process, and with it a session, for each request. */
async function mcporter(target: McpTarget, home: string): Promise<McpTestClient> {
  if (!('url' in target)) throw new Error('mcporter is tried over HTTP.');
  await run('npm', ['install', '--no-audit', '--no-fund', '--prefix', home, 'mcporter@0.12.3']);
  const headers = { Authorization: `Bearer ${target.token}` };
  const config = join(home, 'mcporter.json');
  await writeFile(config, JSON.stringify({ mcpServers: { zoo: { url: target.url, headers } } }));
  const script = join(home, 'node_modules', 'mcporter', 'dist', 'cli.js');
  const mcporter = async (...args: string[]) =>
    (await run(process.execPath, [script, '--config', config, ...args], { env: { ...process.env, HOME: home } }))
      .stdout;
  return {
    toolNames: async () =>
      JSON.parse(await mcporter('list', 'zoo', '--json')).tools.map((tool: { name: string }) => tool.name),
    async call(name, args) {
      const text = await mcporter('call', `zoo.${name}`, '--args', JSON.stringify(args), '--output', 'raw');
      return { content: [{ type: 'text', text }] };
    },
    promptNames: unused,
    promptTexts: unused,
    resourceUris: unused,
    resourceText: unused,
    close: async () => {},
  };
}

function unused(): Promise<never> {
  return Promise.reject(new Error('The proof does not use this.'));
}

/** Runs both conformance suites against three hubs behind the proxy. */
export async function tryConformance(database: string): Promise<{ suite: string; result: string; holds: boolean }[]> {
  const all: ConformanceHub[] = [];
  for (let count = 0; count < 3; count += 1) await createConformanceHub({ db: { url: database }, secret, all });
  const [first] = all;
  if (!first) throw new Error('There is no hub.');
  // The suites send no key, so the proxy adds one.
  const authorization = `Bearer ${await first.hub.callers.ownerKey()}`;
  const proxy = await startRoundRobinProxy({ targets: [], headers: { authorization } });
  const door = {
    certificate: undefined,
    publicUrl: proxy.url,
    trustedProxies: ['127.0.0.1'],
    limits: { caller: 0, address: 0, failure: 0 },
  };
  const servers = await Promise.all(all.map(({ hub }) => serveHttp(hub, { host: '127.0.0.1', port: 0, door })));
  proxy.setTargets(servers.map(({ port }) => `http://127.0.0.1:${port}`));
  try {
    const suites: [name: string, packageName: string, options: string[]][] = [
      ['2025 revisions', '@modelcontextprotocol/conformance', ['--suite', 'all']],
      ['2025-11-25, next suite', 'conformance-next', ['--requirements', '2025-11-25']],
      ['2026-07-28, next suite', 'conformance-next', ['--requirements', '2026-07-28']],
    ];
    const results = [];
    for (const [suite, packageName, options] of suites) {
      const { exitCode, count, scenarios } = await runSuite(`${proxy.url}/mcp`, packageName, options);
      // The hub does not support the Tasks extension, which no revision requires.
      const failed = scenarios.filter(
        ({ name, statuses }) => !name.startsWith('tasks-') && statuses.some((status) => status === 'FAILURE'),
      );
      const names = failed.map(({ name }) => name).join(', ');
      const result = `${count('SUCCESS')} checks passed${names === '' ? '' : `; failed: ${names}`}`;
      results.push({ suite, result, holds: exitCode === 0 && failed.length === 0 });
    }
    return results;
  } finally {
    for (const server of servers) await server.close();
    for (const each of all) await each.close();
    await proxy.close();
  }
}
