import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { decideInBrowser, OAuthServer } from '../../../test/support/servers/oauth-server.ts';
import { ContextObjectModel } from '../../engine/context-object-model.ts';
import { MCPClient, type MCPClientEvent } from './mcp-client.ts';
import type { MCPConfig } from './mcp-config.ts';
import { MCPTool } from './mcp-tool.ts';

const program = resolve(import.meta.dirname, '../../../test/support/servers/changing-server.ts');
let folder: string;
let client: MCPClient;
let config: MCPConfig;
let events: MCPClientEvent[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agent-zoo-client-'));
  client = new MCPClient();
  config = { serverName: 'changing', connection: { command: process.execPath, args: [program, folder] } };
  events = [];
  client.on((event) => events.push(event));
});

afterEach(async () => {
  await client.close();
  await rm(folder, { recursive: true, force: true });
});

const linesOf = async (file: string) => (await readFile(join(folder, file), 'utf8')).trim().split('\n');
const eventTypes = () => events.map(({ type }) => type).filter((type) => type !== 'server.logged');

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function killServer(): Promise<void> {
  const pid = Number((await linesOf('starts')).at(-1));
  const lost = new Promise<void>((found) => {
    const stop = client.on(({ type }) => {
      if (type !== 'server.lost') return;
      stop();
      found();
    });
  });
  process.kill(pid, 'SIGKILL');
  await lost;
}

describe('a client', () => {
  it('has one connection per server, no matter how often it connects', async () => {
    const greetings = await Promise.all([client.connect(config), client.connect(config), client.connect(config)]);
    await client.connect(config);
    expect(greetings.map(({ serverInfo }) => serverInfo.name)).toEqual(['changing', 'changing', 'changing']);
    expect(await linesOf('starts')).toHaveLength(1);
    expect(client.isConnected('changing')).toBe(true);
    expect(client.serverNames).toEqual(['changing']);
    expect(eventTypes()).toEqual(['server.connected']);
  });

  it('refuses other settings for a name that is connected', async () => {
    await client.connect(config);
    const other = { ...config, connection: { command: process.execPath, args: [program, tmpdir()] } };
    await expect(client.connect(other)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('"changing" is already connected with other settings'),
    });
    expect((await client.callTool('changing', 'append')).content).toEqual([{ type: 'text', text: 'append' }]);
  });

  it('names what is connected when another server is called', async () => {
    await expect(client.callTool('nobody', 'x')).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: 'MCP server "nobody" is not connected. Connect it first with connect(config).',
    });
    await client.connect(config);
    await expect(client.listTools('nobody')).rejects.toThrow('Connected servers: "changing".');
  });

  it('leaves out tools that cannot be used, with a warning that names the server', async () => {
    const odd = resolve(import.meta.dirname, '../../../test/support/servers/odd-tools-server.ts');
    await client.connect({ serverName: 'odd', connection: { command: process.execPath, args: [odd] } });
    const listed = (await client.listTools('odd')).map(({ name }) => name);
    const warnings = events.flatMap((event) => (event.type === 'warning' ? [event.message] : []));
    for (const name of ['input-is-text', 'description-is-too-long']) {
      expect(listed).not.toContain(name);
      const warning = expect.stringContaining(`The tool "${name}" of server "odd" is left out. Its `);
      expect(warnings).toContainEqual(warning);
    }
  });

  it('forgets a server that could not be connected, and can try again', async () => {
    const broken = { ...config, connection: { command: join(folder, 'no-such-program') } };
    const both = await Promise.allSettled([client.connect(broken), client.connect(broken)]);
    expect(both.map((each) => each.status === 'rejected' && each.reason.code)).toEqual(['UNAVAILABLE', 'UNAVAILABLE']);
    expect(client.serverNames).toEqual([]);
    await client.connect(config);
    expect(client.isConnected('changing')).toBe(true);
  });

  it('stops waiting when the signal aborts; other callers keep waiting', async () => {
    const control = new AbortController();
    const left = client.connect(config, { signal: control.signal });
    const stays = client.connect(config);
    control.abort();
    await expect(left).rejects.toMatchObject({ code: 'CANCELLED' });
    await expect(stays).resolves.toBeDefined();
  });

  it('fills variables of the environment when it connects, and names one that is missing', async () => {
    client = new MCPClient({ env: { FOLDER: folder } });
    const args = [program, '$' + '{FOLDER}'];
    await client.connect({ ...config, connection: { command: process.execPath, args } });
    expect(await linesOf('starts')).toHaveLength(1);
    const missing = { command: process.execPath, args: ['$' + '{NOT_SET}'] };
    await expect(client.connect({ serverName: 'other', ...missing })).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
      message: expect.stringContaining('NOT_SET'),
    });
  });

  it('reconnects a lost server in the background', async () => {
    await client.connect(config);
    await killServer();
    expect(client.isConnected('changing')).toBe(false);
    await expect.poll(() => client.isConnected('changing')).toBe(true);
    expect(await linesOf('starts')).toHaveLength(2);
    expect(eventTypes()).toEqual(['server.connected', 'server.lost', 'server.connected']);
  });

  it('reconnects a lost server for the next call', async () => {
    await client.connect(config);
    await killServer();
    expect((await client.callTool('changing', 'append')).content).toEqual([{ type: 'text', text: 'append' }]);
    expect(await linesOf('calls')).toEqual(['append']);
  });

  it('never repeats a call that may have run', async () => {
    await client.connect(config);
    await expect(client.callTool('changing', 'append-and-exit')).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringMatching(/^Tool ".+" of server "changing" may have run and is not called again: /),
      details: { mayHaveRun: true },
    });
    await client.callTool('changing', 'append');
    expect(await linesOf('calls')).toEqual(['append-and-exit', 'append']);
  });

  it('ends the process and removes the tools from every context when it disconnects', async () => {
    await client.connect(config);
    const [definition] = await client.listTools('changing');
    if (!definition) throw new Error('The server has no tools');
    const contexts = [new ContextObjectModel(), new ContextObjectModel()];
    // Added manually, as in the guide.
    for (const com of contexts) com.addTool(new MCPTool(client, 'changing', definition));
    contexts[0]?.addTool({ metadata: { name: 'own', description: '', inputSchema: {} }, run: () => 'x' });
    const [pid] = await linesOf('starts');
    await client.disconnect('changing');
    expect(contexts.map((com) => com.getTools().map(({ metadata }) => metadata.name))).toEqual([['own'], []]);
    expect(isAlive(Number(pid))).toBe(false);
    expect(client.isConnected('changing')).toBe(false);
    expect(eventTypes().at(-1)).toBe('server.disconnected');
    await client.disconnect('changing');
  });

  it('waits for the end of the old process before it connects again', async () => {
    await client.connect(config);
    const ended = client.disconnect('changing');
    await client.connect(config);
    const [first, second] = await linesOf('starts');
    expect(isAlive(Number(first))).toBe(false);
    expect(isAlive(Number(second))).toBe(true);
    await ended;
  });

  it('ends a connection that is still being made', async () => {
    const connecting = client.connect(config);
    connecting.catch(() => {});
    await client.close();
    await expect(connecting).rejects.toMatchObject({ code: expect.stringMatching(/^(CANCELLED|UNAVAILABLE)$/) });
    if (existsSync(join(folder, 'starts'))) {
      expect((await linesOf('starts')).filter((pid) => isAlive(Number(pid)))).toEqual([]);
    }
    await expect(client.connect(config)).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringContaining('closed'),
    });
  });

  it('signs in with OAuth if the server requires it', async () => {
    await using server = await new OAuthServer().start();
    const guarded: MCPConfig = { serverName: 'guarded', connection: { url: server.url }, auth: { type: 'oauth' } };
    await expect(client.connect(guarded)).rejects.toMatchObject({ code: 'SIGN_IN_REQUIRED' });
    await expect(client.beginSignIn(guarded)).rejects.toThrow('redirectUrl');
    const redirectUrl = 'http://127.0.0.1:9/back';
    const url = await client.beginSignIn(guarded, { redirectUrl });
    const { searchParams } = await decideInBrowser(url?.href ?? '');
    const code = searchParams.get('code') ?? '';
    const state = searchParams.get('state') ?? '';
    const issuer = searchParams.get('iss') ?? undefined;
    await client.finishSignIn(guarded, { redirectUrl, code, state, issuer });
    await client.connect(guarded);
    expect(client.isConnected('guarded')).toBe(true);
    await expect(client.finishSignIn(guarded, { redirectUrl, code, state })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENTS',
    });
    await client.disconnect('guarded');
  });

  it('is closed at the end of a block with "await using"', async () => {
    {
      await using own = new MCPClient();
      await own.connect(config);
    }
    const [pid] = await linesOf('starts');
    expect(isAlive(Number(pid))).toBe(false);
  });
});
