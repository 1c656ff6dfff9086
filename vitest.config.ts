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
    return files.toSorted((one, other) => cost(other) - cost(one));
  }
}

export default defineConfig({
  test: {
    include: ['{src,web,test}/**/*.test.ts'],
    // Test files share processes, and with them what they import and the browser.
    isolate: false,
    // More than cores: many tests wait for processes, disks and clocks.
    maxWorkers: 5,
    sequence: { sequencer: LongestFirst },
    // Child processes, a browser and a database on two cores: generous limits, no timing decides a test.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
    setupFiles: ['test/support/property-seed.ts', 'test/support/time/patient-waits.ts'],
    // Node runs the built command in test processes as it is, like a package.
    server: { deps: { external: [/\/\.cache\/zoo\//] } },
    globalSetup: ['test/support/global-setup.ts'],
    // The test processes, and those that they start, keep compiled code for the next one.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, '.cache/compiled') },
  },
});
