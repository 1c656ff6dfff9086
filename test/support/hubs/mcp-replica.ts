import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { defineTool } from '../../../src/tools/tool.ts';
import { serveTestHub } from './serve-test-hub.ts';

interface ReplicaOptions {
  db: { path: string } | { url: string };
  env: Record<string, string>;
}

export interface McpReplica {
  url: string;
  child: ChildProcess;
  /** Resolves when the tool `act` has been called, which never replies. */
  called: Promise<void>;
  /** Ends the process at once (SIGKILL). */
  kill(): Promise<void>;
}

/** Starts a hub in a process of its own, to be killed. */
export async function startMcpReplica(options: ReplicaOptions): Promise<McpReplica> {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout });
  const [url] = await once(lines, 'line');
  return {
    url,
    child,
    called: once(lines, 'line').then(() => {}),
    async kill() {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { db, env }: ReplicaOptions = JSON.parse(process.argv[2] ?? '');
  const act = defineTool({
    name: 'act',
    description: 'Never replies.',
    input: z.object({}),
    run: (_input, { client }) => {
      client.progress(1);
      writeSync(1, 'called\n');
      return new Promise<never>(() => {});
    },
  });
  const { server } = await serveTestHub({ db, env, anonymous: 'work', tools: [act] });
  writeSync(1, `${server.url}\n`);
}
