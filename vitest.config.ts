import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { testSeconds } from './scripts/test-seconds.ts';

/** Begins with what takes longest: begun last, it would run alone while the other cores wait. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const seconds = testSeconds();
    const root = this.ctx.config.root;
    const cost = ({ moduleId }: TestSpecification) => seconds(moduleId.slice(root.length + 1));
    // Those with a process of their own first: the others hand theirs on to the next.
    const place = ({ project }: TestSpecification) => (project.config.isolate ? 0 : 1);
    return files.toSorted((one, other) => place(one) - place(other) || cost(other) - cost(one));
  }
}

const each = {
  // Child processes, a browser and a database on two cores: generous limits, no timing decides a test.
  testTimeout: 180_000,
  hookTimeout: 180_000,
  expect: { poll: { timeout: 60_000 } },
  setupFiles: ['test/support/property-seed.ts', 'test/support/patient-waits.ts'],
  // The test processes, and those that they start, keep compiled code for the next one.
  env: { NODE_COMPILE_CACHE: join(import.meta.dirname, '.cache/compiled') },
};

export default defineConfig({
  test: {
    // More than cores: many tests wait for processes, disks and clocks.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    globalSetup: ['test/support/global-setup.ts'],
    projects: [
      { test: { ...each, name: 'journeys', include: ['test/**/*.test.ts'] } },
      // Test files of one room share processes, and with them what they import.
      { test: { ...each, name: 'units', include: ['src/**/*.test.ts', 'web/**/*.test.ts'], isolate: false } },
    ],
  },
});
