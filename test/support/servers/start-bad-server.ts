import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { silentLogger } from '../../../src/base/logger.ts';
import { connectServer } from '../../../src/mcp-client/connection/connect-server.ts';
import { ServerDefinition, type ServerDefinitionInput } from '../../../src/servers/server-definition.ts';
import type { ServerConnection } from '../../../src/servers/supervise/server-connection.ts';
import type { BadScript } from './bad-server-behaviour.ts';

export const transports = ['stdio', 'sse', 'streamable-http'] as const;
export type TransportName = (typeof transports)[number];

const program = fileURLToPath(new URL('./bad-server.ts', import.meta.url));

export interface BadServer extends AsyncDisposable {
  definition: ServerDefinition;
}

type Settings = Partial<Omit<Extract<ServerDefinitionInput, { transport: 'sse' }>, 'transport' | 'url'>> & {
  env?: Record<string, string>;
  cwd?: string;
};

/** Returns the definition of a bad server. Over HTTP, it runs until the scope is left; on stdio, the connection starts it. */
export async function startBadServer(
  transport: TransportName,
  script: BadScript = {},
  settings: Settings = {},
): Promise<BadServer> {
  const args = [program, transport, JSON.stringify(script)];
  if (transport === 'stdio') {
    const definition = ServerDefinition.parse({ transport, command: process.execPath, args, ...settings });
    return { definition, [Symbol.asyncDispose]: async () => {} };
  }
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const port = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', (line) => resolve(line.replace('port ', '')));
    child.once('exit', () => reject(new Error('The bad server ended before it said its port.')));
  });
  return {
    definition: ServerDefinition.parse({ transport, url: `http://127.0.0.1:${port}/mcp`, ...settings }),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

export interface TestConnection extends AsyncDisposable {
  connection: ServerConnection;
  log: { level: string; text: string }[];
  /** Resolves with the reason when the connection is closed. */
  closed: Promise<string>;
  closings: string[];
}

export async function connectTo(definition: ServerDefinition, name = 'bad'): Promise<TestConnection> {
  const log: { level: string; text: string }[] = [];
  const connection = await connectServer({
    name,
    definition,
    signal: new AbortController().signal,
    logger: silentLogger,
    onLog: (line) => log.push(line),
  });
  const closings: string[] = [];
  const closed = new Promise<string>((resolve) => {
    connection.onClosed((reason) => {
      closings.push(reason);
      resolve(reason);
    });
  });
  return { connection, log, closed, closings, [Symbol.asyncDispose]: () => connection.close() };
}
