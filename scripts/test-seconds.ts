import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { z } from 'zod';
import { root } from './run-step.ts';

/** Where `npm test` leaves what happened. */
export const testReport = join(root, '.cache', 'test-report.json');

const Report = z.looseObject({
  testResults: z.array(z.looseObject({ name: z.string(), startTime: z.number(), endTime: z.number() })),
});

/** Returns how long a test file took in the last `npm test` on this machine, or a guess. */
export function testSeconds(): (file: string) => number {
  const known = new Map<string, number>();
  try {
    const { testResults } = Report.parse(JSON.parse(readFileSync(testReport, 'utf8')));
    for (const { name, startTime, endTime } of testResults) {
      known.set(relative(root, name), Math.max(0.1, (endTime - startTime) / 1_000));
    }
  } catch {
    // No run yet.
  }
  return (file) => known.get(file) ?? (file.startsWith('test/journeys/') ? 6 : 1);
}
