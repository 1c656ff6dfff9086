import { join } from 'node:path';
import { expect, it } from 'vitest';
import { failedTests, journeysToRepeat, type TestReport, withRepeated } from '../scripts/repeat-journeys.ts';
import { root } from '../scripts/run-step.ts';

const chat = 'test/journeys/web-chat.test.ts';
const team = 'test/journeys/web-team.test.ts';

/** A report of these files, whose tests have these states. */
function reportOf(files: Record<string, readonly ('passed' | 'failed')[]>): TestReport {
  const testResults = Object.entries(files).map(([file, states]) => ({
    name: join(root, file),
    status: states.includes('failed') ? 'failed' : 'passed',
    assertionResults: states.map((status, index) => ({ fullName: `test ${index}`, status })),
  }));
  const all = Object.values(files).flat();
  return {
    success: !all.includes('failed'),
    numPassedTests: all.filter((state) => state === 'passed').length,
    numFailedTests: all.filter((state) => state === 'failed').length,
    testResults,
  };
}

it('only failed journeys in the browser are repeated', () => {
  const report = reportOf({ [chat]: ['passed', 'failed'], [team]: ['passed'], 'src/base/json.test.ts': ['passed'] });
  expect(journeysToRepeat(report, 0)).toEqual([chat]);
});

it.each([
  ['a journey without a browser', { [chat]: ['failed'], 'test/journeys/team-proofs.test.ts': ['failed'] }, 0],
  ['a test of the web app that needs no browser', { [chat]: ['failed'], 'web/ui/rank.test.ts': ['failed'] }, 0],
  ['a journey about what people type', { [chat]: ['failed'], 'test/journeys/web-drafts.test.ts': ['failed'] }, 0],
  ['an error that no test has caught', { [chat]: ['failed'] }, 1],
  [
    'four files',
    Object.fromEntries(['a', 'b', 'c', 'd'].map((name) => [`test/journeys/web-${name}.test.ts`, ['failed']])),
    0,
  ],
] as const)('nothing is repeated after the failure of %s', (_, files, uncaught) => {
  expect(journeysToRepeat(reportOf(files as Parameters<typeof reportOf>[0]), uncaught)).toEqual([]);
});

it('a file that could not run is repeated as well', () => {
  const report = reportOf({ [chat]: [] });
  for (const file of report.testResults) file.status = 'failed';
  expect(journeysToRepeat({ ...report, success: false }, 0)).toEqual([chat]);
});

it('the second run replaces the results of what it repeated, also when it fails', () => {
  const first = reportOf({ [chat]: ['passed', 'failed', 'failed'], [team]: ['passed'] });
  const good = withRepeated(first, reportOf({ [chat]: ['passed', 'passed', 'passed'] }));
  expect(good).toMatchObject({ success: true, numPassedTests: 4, numFailedTests: 0 });
  expect(failedTests(good)).toEqual([]);
  const bad = withRepeated(first, reportOf({ [chat]: ['passed', 'failed', 'passed'] }));
  expect(bad).toMatchObject({ success: false, numPassedTests: 3, numFailedTests: 1 });
  expect(failedTests(bad)).toEqual([`${chat}: test 1`]);
});
