import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, runStep } from '../scripts/run-step.ts';

/** Runs the tests above the store on both databases. `npm test` runs them only on SQLite. Returns true if all pass. */
export async function proveDatabases(): Promise<boolean> {
  const files = globSync(['src/**/*.test.ts', 'test/**/*.test.ts'], { cwd: root }).filter((file) =>
    readFileSync(join(root, file), 'utf8').includes('describe.each(usualDatabaseKinds)'),
  );
  process.stdout.write(`${files.length} test files on SQLite and PostgreSQL\n`);
  return (await runStep('npx', ['vitest', 'run', '--reporter=dot', ...files], { ZOO_TEST_DATABASES: 'all' })) === 0;
}

if (import.meta.main && !(await proveDatabases())) process.exitCode = 1;
