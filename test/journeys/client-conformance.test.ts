import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, relative, sep } from 'node:path';
import { json } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConformanceTask, runConformanceClient } from '../support/conformance/conformance-client.ts';

const require = createRequire(import.meta.url);
const command = fileURLToPath(new URL('../support/conformance/conformance-command.sh', import.meta.url));
let client: Server;
let folder: string;

/** The suites start all scenarios at once; the client handles a few at a time. */
const atOnce = 4;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'zoo-client-conformance-'));
  const free = Array.from({ length: atOnce }, () => Promise.resolve());
  client = createServer(async (request, response) => {
    const task = (await json(request)) as ConformanceTask;
    const turn = free.shift() ?? Promise.resolve();
    const done = turn.then(() => runConformanceClient(task));
    free.push(done.catch(() => {}));
    done.then(
      () => response.end(),
      (error: unknown) => response.writeHead(500).end(`${error}\n`),
    );
  }).listen(0, '127.0.0.1');
  await once(client, 'listening');
});

afterAll(async () => {
  client.close();
  await rm(folder, { recursive: true });
});

/**
 * Extensions that no revision requires and the hub does not support: clients that authenticate with a private key or with the
 * token of another identity provider (a server definition supports neither), and proof of possession.
 */
const excluded = [
  'auth/client-credentials-jwt',
  'auth/cross-app-access-complete-flow',
  'auth/dpop',
  'auth/dpop-nonce',
  'auth/enterprise-managed-authorization',
  'auth/wif-jwt-bearer',
];

test('the suite for the 2025 revisions passes all of its 311 checks in 24 scenarios', { timeout: 90_000 }, async () => {
  const run = await runSuite('@modelcontextprotocol/conformance', ['--suite', 'all']);
  expect(run.scenarios).toHaveLength(26);
  expect(run.failing()).toEqual(['auth/client-credentials-jwt', 'auth/cross-app-access-complete-flow']);
  expect(run.required().map(({ name }) => name)).toContain('auth/2025-03-26-oauth-metadata-backcompat');
  expect(run.required()).toHaveLength(24);
  expect(run.count('SUCCESS')).toBe(311);
  expect(run.others()).toEqual([]);
});

test('the next suite passes every check that revision 2025-11-25 requires', { timeout: 90_000 }, async () => {
  const run = await runSuite('conformance-next', ['--requirements', '2025-11-25']);
  expect(run.exitCode).toBe(0);
  expect(run.scenarios).toHaveLength(25);
  expect(run.failing()).toEqual(excluded.filter((name) => !name.includes('cross-app')));
  expect(run.required()).toHaveLength(20);
  expect(run.count('SUCCESS')).toBe(288);
  expect(run.others()).toEqual([]);
});

test('the next suite passes every check that revision 2026-07-28 requires', { timeout: 90_000 }, async () => {
  const run = await runSuite('conformance-next', ['--requirements', '2026-07-28']);
  expect(run.exitCode).toBe(0);
  expect(run.scenarios).toHaveLength(39);
  expect(run.failing()).toEqual(excluded.filter((name) => !name.includes('cross-app')));
  expect(run.required()).toHaveLength(34);
  expect(run.count('SUCCESS')).toBe(442);
  // The stateless revision has no handshake whose headers could be checked.
  expect(run.others()).toEqual([
    'http-standard-headers SKIPPED ClientMcpMethodHeader_initialize',
    'http-standard-headers SKIPPED ClientMcpMethodHeader_notifications_initialized',
  ]);
});

interface Check {
  name: string;
  status: string;
  details?: { tooEarly?: boolean };
}

interface Scenario {
  name: string;
  checks: Check[];
}

/**
 * The 2025 suite fails a client that reconnects more than 200 ms later than `retry` says, which happens on a busy machine.
 * The next suite, like the standard, fails only a client that does not wait.
 */
function excuseLateness(check: Check): Check {
  const isLateOnly = check.name === 'ClientRespectsRetryField' && check.details?.tooEarly === false;
  return isLateOnly ? { ...check, status: 'SUCCESS' } : check;
}

interface SuiteRun {
  exitCode: number;
  scenarios: Scenario[];
  /** The names of scenarios with a failed check. */
  failing(): string[];
  /** All scenarios except the excluded ones; the following fields count only these. */
  required(): Scenario[];
  count(status: string): number;
  /** Checks that are neither passed nor informational. */
  others(): string[];
}

/** Runs a suite's command line with our client and reads the checks it wrote. */
async function runSuite(packageName: string, options: string[]): Promise<SuiteRun> {
  const script = join(dirname(require.resolve(`${packageName}/package.json`)), 'dist', 'index.js');
  const results = await mkdtemp(join(folder, 'run-'));
  const started = `sh ${relative(results, command)}`;
  const args = [script, 'client', '--command', started, '-o', results, '--timeout', '60000', ...options];
  const env = { ...process.env, CONFORMANCE_CLIENT: `http://127.0.0.1:${(client.address() as AddressInfo).port}` };
  const exitCode = await new Promise<number>((resolve) => {
    const child = execFile(process.execPath, args, { cwd: results, env, maxBuffer: 2 ** 27 }, () =>
      resolve(child.exitCode ?? 1),
    );
  });
  const files = (await readdir(results, { recursive: true })).filter((path) => path.endsWith(`${sep}checks.json`));
  const scenarios: Scenario[] = await Promise.all(
    files.map(async (path) => ({
      name: dirname(path)
        .replaceAll(sep, '/')
        .replace(/-\d{4}-\d{2}-\d{2}T[^/]*$/, ''),
      checks: (JSON.parse(await readFile(join(results, path), 'utf8')) as Check[]).map(excuseLateness),
    })),
  );
  const required = () => scenarios.filter(({ name }) => !excluded.includes(name));
  const all = () => required().flatMap(({ name, checks }) => checks.map((check) => ({ ...check, scenario: name })));
  const failed = ({ checks }: Scenario) => checks.some(({ status }) => status === 'FAILURE');
  return {
    exitCode,
    scenarios,
    required,
    failing: () =>
      scenarios
        .filter(failed)
        .map(({ name }) => name)
        .sort(),
    count: (wanted) => all().filter(({ status }) => status === wanted).length,
    others: () =>
      all()
        .filter(({ status }) => status !== 'SUCCESS' && status !== 'INFO')
        .map(({ scenario, status, name }) => `${scenario} ${status} ${name}`)
        .sort(),
  };
}
