import { createServer } from 'node:http';
import type { TestProject } from 'vitest/node';
import { installPacked, type PackedPackage } from './packed-package.ts';
import { type RunningPostgres, startPostgres } from './postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Answers with the address of the PostgreSQL server of this run, and starts it for whoever asks first. */
    postgresDoor: string;
    /** Answers with the folder of a project that has this package installed, and packs it for whoever asks first. */
    packedDoor: string;
  }
}

/** Starts what several test files share, each thing only when one of them asks for it. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  let postgres: Promise<RunningPostgres> | undefined;
  let packed: Promise<PackedPackage> | undefined;
  const packedPath = '/packed';
  const door = createServer((request, response) => {
    answerTo(request.url === packedPath).then(
      (text) => response.end(text),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  function answerTo(isAboutPackage: boolean): Promise<string> {
    if (isAboutPackage) {
      packed ??= installPacked();
      return packed.then(({ project: folder }) => folder);
    }
    postgres ??= startPostgres();
    return postgres.then(({ url }) => url);
  }
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve));
  const address = door.address();
  if (address === null || typeof address === 'string') throw new Error('The test setup has no port.');
  project.provide('postgresDoor', `http://127.0.0.1:${address.port}`);
  project.provide('packedDoor', `http://127.0.0.1:${address.port}${packedPath}`);
  return async () => {
    door.closeAllConnections();
    door.close();
    const running = await postgres?.catch(() => undefined);
    await running?.stop();
    const installed = await packed?.catch(() => undefined);
    await installed?.[Symbol.asyncDispose]();
  };
}
