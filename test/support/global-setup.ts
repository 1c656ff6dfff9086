import { rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { TestProject } from 'vitest/node';
import { installPacked, type PackedPackage } from './command/packed-package.ts';
import { DatabasePreparer } from './databases/prepared-databases.ts';
import { makeMemoryFolder } from './knowledge/memory-folder.ts';

/** Starts what several test files share, each thing only when one of them asks for it. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const memory = makeMemoryFolder();
  // Test processes and what they start inherit it.
  if (memory !== undefined) process.env.TMPDIR = memory;
  const databases = new DatabasePreparer();
  let packed: Promise<PackedPackage> | undefined;
  async function answerTo(path: string | undefined): Promise<object> {
    if (path === '/sqlite') return databases.sqlite();
    if (path === '/postgres') return databases.postgres();
    packed ??= installPacked();
    return { project: (await packed).project };
  }
  const door = createServer((request, response) => {
    answerTo(request.url).then(
      (answer) => response.end(JSON.stringify(answer)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve));
  const address = door.address();
  if (address === null || typeof address === 'string') throw new Error('The test setup has no port.');
  project.provide('setupDoor', `http://127.0.0.1:${address.port}`);
  return async () => {
    door.closeAllConnections();
    door.close();
    await databases[Symbol.asyncDispose]();
    const installed = await packed?.catch(() => undefined);
    await installed?.[Symbol.asyncDispose]();
    if (memory !== undefined) await rm(memory, { recursive: true, force: true });
  };
}
