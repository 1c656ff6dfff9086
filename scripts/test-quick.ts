import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import { root, runStep } from './run-step.ts';
import { testSeconds } from './test-seconds.ts';
import { touchedTests } from './touched-tests.ts';

/** A minute, minus the time for start-up. */
const budgetSeconds = 40;

/**
 * `npm run test:quick`: runs the tests affected by this branch and by uncommitted changes, nearest first, as many as fit into a
 * minute. Lists the tests it skips; `npm test` runs everything.
 */
const changed = changedFiles();
const touched = touchedTests(readSources(), changed);
const seconds = testSeconds();
const chosen: string[] = [];
const left: string[] = [];
let sum = 0;
for (const { file } of touched) {
  const cost = seconds(file) / Math.min(2, availableParallelism());
  if (sum + cost > budgetSeconds && chosen.length > 0) left.push(file);
  else {
    chosen.push(file);
    sum += cost;
  }
}
process.stdout.write(`${changed.length} files changed, ${touched.length} test files affected.\n`);
if (left.length > 0) {
  process.stdout.write(`Skipped, to end within a minute: ${left.length} files, the nearest of which are\n`);
  for (const file of left.slice(0, 10)) process.stdout.write(`  ${file}\n`);
}
if (chosen.length > 0) process.exitCode = await runStep('vitest', ['run', ...chosen]);

/** Returns the uncommitted files, including new ones, and the files of commits that the parent branch does not have. */
function changedFiles(): string[] {
  const base = ['@{upstream}', 'origin/main', 'main'].map(mergeBase).find((found) => found !== undefined) ?? 'HEAD';
  return [...new Set([...git('diff', '--name-only', base), ...git('ls-files', '--others', '--exclude-standard')])];
}

function mergeBase(branch: string): string | undefined {
  try {
    return git('merge-base', 'HEAD', branch)[0];
  } catch {
    return undefined;
  }
}

function git(...args: string[]): string[] {
  const output = execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  return output.split('\n').filter((line) => line !== '');
}

function readSources(): Map<string, string> {
  const sources = new Map<string, string>();
  for (const folder of ['src', 'web', 'test', 'scripts', 'bench']) {
    for (const entry of readdirSync(join(root, folder), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !/\.tsx?$/.test(entry.name)) continue;
      const path = join(entry.parentPath, entry.name);
      sources.set(relative(root, path), readFileSync(path, 'utf8'));
    }
  }
  return sources;
}
