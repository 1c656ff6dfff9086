import { createServer } from 'node:http';
import type { TestProject } from 'vitest/node';
import { type RunningPostgres, startPostgres } from './postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Answers with the address of the PostgreSQL server of this run, and starts it for whoever asks first. */
    postgresDoor: string;
  }
}

/** Starts what several test files share; PostgreSQL only when one of them asks for it. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  let postgres: Promise<RunningPostgres> | undefined;
  const door = createServer((_request, response) => {
    postgres ??= startPostgres();
    postgres.then(
      ({ url }) => response.end(url),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve));
  const address = door.address();
  if (address === null || typeof address === 'string') throw new Error('The test setup has no port.');
  project.provide('postgresDoor', `http://127.0.0.1:${address.port}`);
  return async () => {
    door.closeAllConnections();
    door.close();
    const running = await postgres?.catch(() => undefined);
    await running?.stop();
  };
}
