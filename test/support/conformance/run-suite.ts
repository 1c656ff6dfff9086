import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);

export interface SuiteRun {
  exitCode: number;
  output: string;
  scenarios: { name: string; statuses: string[] }[];
  count(status: string): number;
}

/** Runs a suite's command line against a server and reads the checks it wrote. */
export async function runSuite(url: string, packageName: string, options: string[]): Promise<SuiteRun> {
  const script = join(dirname(require.resolve(`${packageName}/package.json`)), 'dist', 'index.js');
  const results = await mkdtemp(join(tmpdir(), 'zoo-conformance-results-'));
  const args = [script, 'server', '--url', url, '-o', results, ...options];
  const { exitCode, output } = await new Promise<{ exitCode: number; output: string }>((resolve) => {
    const child = execFile(process.execPath, args, { cwd: results, maxBuffer: 2 ** 26 }, (_error, stdout, stderr) =>
      resolve({ exitCode: child.exitCode ?? 1, output: stdout + stderr }),
    );
  });
  const names = await readdir(results);
  const scenarios = await Promise.all(
    names.map(async (name) => ({
      name: name.replace(/^server-/, '').replace(/-\d{4}-\d{2}-\d{2}T.*$/, ''),
      statuses: readStatuses(
        await readFile(join(results, name, 'checks.json'), 'utf8').catch(() => {
          throw new Error(`The suite ended in the middle:\n${output.slice(-2_000)}`);
        }),
      ),
    })),
  );
  await rm(results, { recursive: true });
  const all = scenarios.flatMap((scenario) => scenario.statuses);
  return { exitCode, output, scenarios, count: (status) => all.filter((each) => each === status).length };
}

function readStatuses(json: string): string[] {
  const checks: { status: string }[] = JSON.parse(json);
  return checks.map((check) => check.status);
}
