import { relative } from 'node:path';
import { z } from 'zod';
import { root } from './run-step.ts';

/** More failed files than this are not a matter of chance. */
const maxRepeated = 3;

export const TestReport = z.looseObject({
  success: z.boolean(),
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  testResults: z.array(
    z.looseObject({
      name: z.string(),
      status: z.string(),
      assertionResults: z.array(z.looseObject({ fullName: z.string(), status: z.string() })),
    }),
  ),
});
export type TestReport = z.infer<typeof TestReport>;

/**
 * Returns the files of journeys in the browser to run once more, by themselves: a browser on two busy cores can draw so late that a
 * journey fails. Returns none if anything else failed, because a lost or doubled write must not be given a second chance.
 */
export function journeysToRepeat(report: TestReport, uncaughtErrors: number): string[] {
  const failed = report.testResults.filter(({ status }) => status === 'failed').map(({ name }) => relative(root, name));
  const isChance = uncaughtErrors === 0 && failed.length <= maxRepeated && failed.every(isBrowserJourney);
  return isChance ? failed : [];
}

/** Returns the report of the whole run with the results of the second run in place of those that it repeated. */
export function withRepeated(first: TestReport, second: TestReport): TestReport {
  const repeated = new Set(second.testResults.map(({ name }) => name));
  const kept = first.testResults.filter(({ name }) => !repeated.has(name));
  return {
    ...first,
    success: second.success,
    numPassedTests: count(kept, 'passed') + second.numPassedTests,
    numFailedTests: count(kept, 'failed') + second.numFailedTests,
    testResults: [...kept, ...second.testResults],
  };
}

/** Returns the names of the tests that failed. */
export function failedTests({ testResults }: TestReport): string[] {
  return testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status === 'failed')
      .map(({ fullName }) => `${relative(root, name)}: ${fullName}`),
  );
}

/** Those about drafts and editing are left out: they show that no text is lost. */
function isBrowserJourney(file: string): boolean {
  return /^test\/journeys\/web-(?!drafts|editing|new-editing)[^/]*\.test\.ts$/.test(file);
}

function count(results: TestReport['testResults'], status: string): number {
  return results.flatMap(({ assertionResults }) => assertionResults).filter((test) => test.status === status).length;
}
