import { afterEach, beforeEach } from 'vitest';

/** For a file whose tests continue each other: those after a failed one are skipped at once, instead of waiting for what can no longer come. */
export function skipAfterFailure(): void {
  let failed: string | undefined;
  beforeEach(({ skip }) => skip(failed !== undefined, `It continues “${failed}”, which failed.`));
  afterEach(({ task }) => {
    if (task.result?.state === 'fail') failed ??= task.name;
  });
}
