import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import { runStep } from './run-step.ts';
import { testReport } from './test-seconds.ts';

const Report = z.looseObject({ success: z.boolean(), numPassedTests: z.number(), numFailedTests: z.number() });
type Report = z.infer<typeof Report>;
const nothingRan: Report = { success: false, numPassedTests: 0, numFailedTests: 1 };

/** `npm test`: the checks, the published form, then every test. Stops at the first red step. */
const steps: [name: string, command: string, args: string[]][] = [
  ['check', 'npm', ['run', '--silent', 'check']],
  ['build', 'npm', ['run', '--silent', 'build']],
  ['test', 'vitest', ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${testReport}`]],
];

mkdirSync(dirname(testReport), { recursive: true });
rmSync(testReport, { force: true });
for (const [name, command, args] of steps) {
  const began = Date.now();
  process.stdout.write(`\n— ${name}\n`);
  const code = await runStep(command, args);
  process.stdout.write(
    `— ${name}: ${code === 0 ? 'ok' : `exit ${code}`} after ${((Date.now() - began) / 1000).toFixed(0)} s\n`,
  );
  if (code !== 0) end(name, code);
}
end('test', 0);

/** The closing line counts tests; a step that is not a test, and a file that cannot run, count as one failure. */
function end(step: string, code: number): never {
  const { success, numPassedTests, numFailedTests } = step === 'test' ? readReport() : nothingRan;
  const isGood = code === 0 && success && numPassedTests > 0;
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
