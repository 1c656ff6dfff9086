import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type HttpServer, serveHttp } from '../../src/http/server/serve.ts';
import { createConformanceHub } from '../support/conformance/conformance-hub.ts';

const require = createRequire(import.meta.url);
let opened: Awaited<ReturnType<typeof createConformanceHub>>;
let server: HttpServer;
let folder: string;

beforeAll(async () => {
  opened = await createConformanceHub();
  server = await serveHttp(opened.hub, { host: '127.0.0.1', port: 0 });
  folder = await mkdtemp(join(tmpdir(), 'zoo-conformance-results-'));
});

afterAll(async () => {
  await server.close();
  await opened.close();
  await rm(folder, { recursive: true });
});

test('the suite for the 2025 revisions passes all of its 46 checks in 32 scenarios', async () => {
  const run = await runSuite('@modelcontextprotocol/conformance', ['--suite', 'all']);
  expect(run.output).toContain('Total: 46 passed, 0 failed');
  expect(run.exitCode).toBe(0);
  expect(run.scenarios).toHaveLength(32);
  expect(run.count('SUCCESS')).toBe(46);
  expect(run.count('FAILURE') + run.count('WARNING') + run.count('SKIPPED')).toBe(0);
});

test('the next suite passes every check that revision 2025-11-25 requires', async () => {
  const run = await runSuite('conformance-next', ['--requirements', '2025-11-25']);
  expect(run.output).toContain('Total: 83 passed, 0 failed');
  expect(run.exitCode).toBe(0);
  expect(run.count('FAILURE') + run.count('WARNING') + run.count('SKIPPED')).toBe(0);
});

/** The hub does not support the Tasks extension. These scenarios run and are reported, but no revision requires them. */
const tasksScenarios = [
  'tasks-capability-negotiation',
  'tasks-dispatch-and-envelope',
  'tasks-lifecycle',
  'tasks-mrtr-composition',
  'tasks-mrtr-input',
  'tasks-request-headers',
  'tasks-request-state-removal',
  'tasks-required-task-error',
  'tasks-status-notifications',
  'tasks-wire-fields',
];

test('the next suite passes every check of revision 2026-07-28 but those of the Tasks extension', async () => {
  const run = await runSuite('conformance-next', ['--requirements', '2026-07-28']);
  expect(run.exitCode).toBe(0);
  const others = run.scenarios.filter((scenario) => !scenario.name.startsWith('tasks-'));
  const tasks = run.scenarios.filter((scenario) => scenario.name.startsWith('tasks-'));
  expect(tasks.map((scenario) => scenario.name).sort()).toEqual(tasksScenarios);
  expect(others).toHaveLength(40);
  const statuses = others.flatMap((scenario) => scenario.statuses);
  expect(statuses.filter((status) => status === 'SUCCESS')).toHaveLength(152);
  expect(statuses.filter((status) => status !== 'SUCCESS' && status !== 'INFO')).toEqual([]);
});

interface SuiteRun {
  exitCode: number;
  output: string;
  scenarios: { name: string; statuses: string[] }[];
  count(status: string): number;
}

/** Runs a suite's command line against the served hub and reads the checks it wrote. */
async function runSuite(packageName: string, options: string[]): Promise<SuiteRun> {
  const script = join(dirname(require.resolve(`${packageName}/package.json`)), 'dist', 'index.js');
  const results = await mkdtemp(join(folder, 'run-'));
  const args = [script, 'server', '--url', `${server.url}/mcp`, '-o', results, ...options];
  const { exitCode, output } = await new Promise<{ exitCode: number; output: string }>((resolve) => {
    const child = execFile(process.execPath, args, { cwd: results, maxBuffer: 2 ** 26 }, (_error, stdout, stderr) =>
      resolve({ exitCode: child.exitCode ?? 1, output: stdout + stderr }),
    );
  });
  const names = await readdir(results);
  const scenarios = await Promise.all(
    names.map(async (name) => ({
      name: name.replace(/^server-/, '').replace(/-\d{4}-\d{2}-\d{2}T.*$/, ''),
      statuses: readStatuses(await readFile(join(results, name, 'checks.json'), 'utf8')),
    })),
  );
  const all = scenarios.flatMap((scenario) => scenario.statuses);
  return { exitCode, output, scenarios, count: (status) => all.filter((each) => each === status).length };
}

function readStatuses(json: string): string[] {
  const checks: { status: string }[] = JSON.parse(json);
  return checks.map((check) => check.status);
}
