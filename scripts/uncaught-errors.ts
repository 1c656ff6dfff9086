import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Reporter } from 'vitest/node';
import { root } from './run-step.ts';

/** Holds how many errors no test has caught. The JSON report leaves them out. */
export const uncaughtErrorsFile = join(root, '.cache', 'uncaught-errors.json');

export default class UncaughtErrors implements Reporter {
  onTestRunEnd(_: unknown, errors: readonly unknown[]): void {
    writeFileSync(uncaughtErrorsFile, String(errors.length));
  }
}
