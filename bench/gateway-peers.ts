import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../test/support/servers/free-port.ts';

/** Other gateways from npm. They are installed when the benchmark runs, apart from the project's dependencies. */
const versions = { 'mcp-hub': '4.2.1', 'mcp-proxy': '6.7.19', supergateway: '4.0.0' };
const folder = join(import.meta.dirname, '..', 'node_modules', '.cache', 'agent-zoo-gateways');

export interface Gateway {
  name: string;
  port: number;
  /** MCP over HTTP, or the gateway's own REST call. */
  path: string;
  toBody(id: number, text: string): object;
  isMcp: boolean;
  stop(): Promise<void>;
}

/** Starts the gateways that can be installed here, in front of the given stdio server. */
export async function startPeers(server: readonly string[], work: string): Promise<Gateway[]> {
  if (!(await install())) return [];
  const [command = '', ...args] = server;
  const config = join(work, 'mcp-hub.json');
  writeFileSync(config, JSON.stringify({ mcpServers: { echo: { command, args } } }));
  const starts = [
    () =>
      start('mcp-hub', (port) => ['--port', String(port), '--config', config], {
        path: '/api/servers/tools',
        isMcp: false,
        toBody: (_, text) => ({ server_name: 'echo', tool: 'echo', arguments: { text } }),
      }),
    () => start('mcp-proxy', (port) => ['--host', '127.0.0.1', '--port', String(port), '--', command, ...args], mcp),
    () =>
      start(
        'supergateway',
        (port) => [
          ...['--stdio', [command, ...args].join(' '), '--outputTransport', 'streamableHttp', '--stateful'],
          ...['--port', String(port), '--logLevel', 'none'],
        ],
        mcp,
      ),
  ];
  const started: Gateway[] = [];
  for (const each of starts) {
    const gateway = await each();
    if (gateway) started.push(gateway);
  }
  return started;
}

const mcp: Pick<Gateway, 'path' | 'isMcp' | 'toBody'> = {
  path: '/mcp',
  isMcp: true,
  toBody: (id, text) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'echo', arguments: { text } } }),
};

async function install(): Promise<boolean> {
  if (existsSync(join(folder, 'node_modules', 'supergateway'))) return true;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies: versions }));
  const child = spawn('npm', ['install', '--no-audit', '--no-fund', '--silent'], { cwd: folder, stdio: 'ignore' });
  const [code] = await once(child, 'exit');
  if (code !== 0) process.stdout.write('The other gateways could not be installed; their rows are missing.\n');
  return code === 0;
}

async function start(
  name: keyof typeof versions,
  toArguments: (port: number) => string[],
  way: Pick<Gateway, 'path' | 'isMcp' | 'toBody'>,
): Promise<Gateway | undefined> {
  const port = await freePort();
  const script = join(folder, 'node_modules', '.bin', name);
  const child = spawn(process.execPath, [script, ...toArguments(port)], { stdio: 'ignore', detached: true });
  const stop = async () => {
    const exited = once(child, 'exit');
    // Also ends the server that it started.
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    await exited;
  };
  for (let attempt = 0; attempt < 100; attempt += 1) {
    if (child.exitCode !== null) return undefined;
    if (await answers(port)) return { name, port, ...way, stop };
    await sleep(100);
  }
  await stop();
  process.stdout.write(`${name} did not start; its row is missing.\n`);
  return undefined;
}

async function answers(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/`).then(
    () => true,
    () => false,
  );
}
