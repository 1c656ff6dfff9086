import { expect, test } from 'vitest';
import { runCommand, zooFolder } from '../command/run-zoo.ts';

test('a test run with PostgreSQL keeps its exit code', async () => {
  await using folder = await zooFolder({ isNew: true });
  const module = JSON.stringify(new URL('./postgres.ts', import.meta.url).href);
  const script = `const { startPostgres } = await import(${module}); await (await startPostgres()).stop(); process.exitCode = 3;`;
  const { code, stderr } = await runCommand([process.execPath, '--input-type=module', '-e', script], {
    cwd: folder.dir,
  });
  expect({ code, stderr }).toEqual({ code: 3, stderr: '' });
});
