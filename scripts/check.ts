import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { root } from './run-step.ts';

/**
 * `npm run check`: runs all static checks, two at a time. Prints the output of each step when it ends, failed steps last. Each
 * compiler gets one thread, because several would compute most types again, and checks only what changed since its last run.
 */
const steps = [
  ['tsc', '-p', '.', '--checkers', '1', '--incremental', '--tsBuildInfoFile', '.cache/types.json'],
  ['tsc', '-p', 'web', '--checkers', '1', '--incremental', '--tsBuildInfoFile', '.cache/types-web.json'],
  ['biome', 'ci', '.'],
  ['knip'],
];
// `npm test` runs it with the other tests.
if (!process.argv.includes('--without-tests')) steps.push(['vitest', 'run', 'test/architecture.test.ts']);

const waiting = steps.values();
const failed: string[] = [];
await Promise.all([1, 2].map(work));
for (const output of failed) process.stdout.write(output);
process.exitCode = failed.length === 0 ? 0 : 1;

async function work(): Promise<void> {
  for (const step of waiting) {
    const { code, output } = await run(step);
    if (code === 0) process.stdout.write(`${step.join(' ')}: ok\n`);
    else failed.push(`${output}\n${step.join(' ')}: exit ${code}\n`);
  }
}

async function run([command = '', ...args]: readonly string[]): Promise<{ code: number; output: string }> {
  const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
  const [code, stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  return { code, output: stdout + stderr };
}
