import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { failedTests, journeysToRepeat, TestReport, withRepeated } from './repeat-journeys.ts';
import { root, runStep } from './run-step.ts';
import { lastReport, testReport } from './test-seconds.ts';
import { uncaughtErrorsFile } from './uncaught-errors.ts';

const nothingRan: TestReport = { success: false, numPassedTests: 0, numFailedTests: 1, testResults: [] };
const secondReport = join(root, '.cache', 'test-report.second.json');

/** `npm test`: builds the package, then runs all tests. The checks run beside both, so that no core waits. */
mkdirSync(dirname(testReport), { recursive: true });
if (existsSync(testReport)) renameSync(testReport, lastReport);
// The test of the architecture runs with the others.
const checking = step('check', 'node', ['scripts/check.ts', '--without-tests']);
if ((await step('build', 'npm', ['run', '--silent', 'build'])) !== 0) {
  await checking;
  end(nothingRan);
}
let { code, report } = await runTests('test', testReport, ['--reporter=./scripts/uncaught-errors.ts']);
const checked = await checking;
const repeated = checked === 0 ? journeysToRepeat(report, readUncaughtErrors()) : [];
if (repeated.length > 0) {
  const chance = failedTests(report);
  const second = await runTests('repeat failed journeys by themselves', secondReport, ['--maxWorkers=1', ...repeated]);
  code = second.code;
  report = withRepeated(report, second.report);
  if (code === 0) process.stdout.write(`\nFailed beside other tests, passed alone:\n  ${chance.join('\n  ')}\n`);
}
if (checked !== 0) process.stdout.write(`\nThe checks failed, see above. To repeat them: npm run check\n`);
end(code === 0 && checked === 0 ? report : { ...report, success: false });

async function runTests(
  name: string,
  reportFile: string,
  args: readonly string[],
): Promise<{ code: number; report: TestReport }> {
  rmSync(reportFile, { force: true });
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`];
  const code = await step(name, 'vitest', ['run', ...reporters, ...args]);
  return { code, report: readReport(reportFile) };
}

async function step(name: string, command: string, args: string[]): Promise<number> {
  const began = Date.now();
  process.stdout.write(`\n— ${name}\n`);
  const code = await runStep(command, args);
  const seconds = ((Date.now() - began) / 1000).toFixed(0);
  process.stdout.write(`— ${name}: ${code === 0 ? 'ok' : `exit ${code}`} after ${seconds} s\n`);
  return code;
}

/** Prints the closing line with the number of tests. A failed step, or a file that cannot run, counts as one failure. */
function end({ success, numPassedTests, numFailedTests }: TestReport): never {
  const isGood = success && numPassedTests > 0;
  process.stdout.write(`\n${numPassedTests} passed, ${isGood ? 0 : Math.max(1, numFailedTests)} failed\n`);
  process.exit(isGood ? 0 : 1);
}

function readReport(file: string): TestReport {
  try {
    return TestReport.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return nothingRan;
  }
}

/** Returns 1 if the number is unknown. */
function readUncaughtErrors(): number {
  return existsSync(uncaughtErrorsFile) ? Number(readFileSync(uncaughtErrorsFile, 'utf8')) : 1;
}
