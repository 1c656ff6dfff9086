import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import { runStep } from './run-step.ts';
import { lastReport, testReport } from './test-seconds.ts';

const Report = z.looseObject({ success: z.boolean(), numPassedTests: z.number(), numFailedTests: z.number() });
type Report = z.infer<typeof Report>;
const nothingRan: Report = { success: false, numPassedTests: 0, numFailedTests: 1 };

/** `npm test`: builds the package, then runs all tests. The checks run beside both, so that no core waits. */
mkdirSync(dirname(testReport), { recursive: true });
if (existsSync(testReport)) renameSync(testReport, lastReport);
// The test of the architecture runs with the others.
const checking = step('check', 'node', ['scripts/check.ts', '--without-tests']);
if ((await step('build', 'npm', ['run', '--silent', 'build'])) !== 0) {
  await checking;
  end(nothingRan);
}
const code = await step('test', 'vitest', [
  'run',
  '--reporter=default',
  '--reporter=json',
  `--outputFile.json=${testReport}`,
]);
const report = readReport();
const checked = await checking;
if (checked !== 0) process.stdout.write(`\nThe checks failed, see above. To repeat them: npm run check\n`);
end(code === 0 && checked === 0 ? report : { ...report, success: false });

async function step(name: string, command: string, args: string[]): Promise<number> {
  const began = Date.now();
  process.stdout.write(`\n— ${name}\n`);
  const code = await runStep(command, args);
  const seconds = ((Date.now() - began) / 1000).toFixed(0);
  process.stdout.write(`— ${name}: ${code === 0 ? 'ok' : `exit ${code}`} after ${seconds} s\n`);
  return code;
}

/** Prints the closing line with the number of tests. A failed step, or a file that cannot run, counts as one failure. */
function end({ success, numPassedTests, numFailedTests }: Report): never {
  const isGood = success && numPassedTests > 0;
  process.stdout.write(`\n${numPassedTests} passed, ${isGood ? 0 : Math.max(1, numFailedTests)} failed\n`);
  process.exit(isGood ? 0 : 1);
}

function readReport(): Report {
  try {
    return Report.parse(JSON.parse(readFileSync(testReport, 'utf8')));
  } catch {
    return nothingRan;
  }
}
