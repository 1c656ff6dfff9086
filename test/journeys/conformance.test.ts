import { afterAll, beforeAll, expect, test } from 'vitest';
import { type HttpServer, serveHttp } from '../../src/http/server/serve.ts';
import { createConformanceHub } from '../support/conformance/conformance-hub.ts';
import { runSuite } from '../support/conformance/run-suite.ts';

let opened: Awaited<ReturnType<typeof createConformanceHub>>;
let server: HttpServer;

beforeAll(async () => {
  opened = await createConformanceHub();
  server = await serveHttp(opened.hub, { host: '127.0.0.1', port: 0 });
});

afterAll(async () => {
  await server.close();
  await opened.close();
});

test('the suite for the 2025 revisions passes all of its 46 checks in 32 scenarios', async () => {
  const run = await runSuite(`${server.url}/mcp`, '@modelcontextprotocol/conformance', ['--suite', 'all']);
  expect(run.output).toContain('Total: 46 passed, 0 failed');
  expect(run.exitCode).toBe(0);
  expect(run.scenarios).toHaveLength(32);
  expect(run.count('SUCCESS')).toBe(46);
  expect(run.count('FAILURE') + run.count('WARNING') + run.count('SKIPPED')).toBe(0);
});

test('the next suite passes every check that revision 2025-11-25 requires', async () => {
  const run = await runSuite(`${server.url}/mcp`, 'conformance-next', ['--requirements', '2025-11-25']);
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
  const run = await runSuite(`${server.url}/mcp`, 'conformance-next', ['--requirements', '2026-07-28']);
  expect(run.exitCode).toBe(0);
  const others = run.scenarios.filter((scenario) => !scenario.name.startsWith('tasks-'));
  const tasks = run.scenarios.filter((scenario) => scenario.name.startsWith('tasks-'));
  expect(tasks.map((scenario) => scenario.name).sort()).toEqual(tasksScenarios);
  expect(others).toHaveLength(40);
  const statuses = others.flatMap((scenario) => scenario.statuses);
  expect(statuses.filter((status) => status === 'SUCCESS')).toHaveLength(152);
  expect(statuses.filter((status) => status !== 'SUCCESS' && status !== 'INFO')).toEqual([]);
});
