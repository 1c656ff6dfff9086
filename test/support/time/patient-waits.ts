import { vi } from 'vitest';
import { bodyLimits } from '../../../src/base/request-bodies.ts';
import { usualLimits } from '../../../src/db/postgres/postgres-connections.ts';

/** Vitest gives up after one second, which is too short on a busy machine, and has no setting for it. */
const timeout = 60_000;

const { waitFor } = vi;
vi.waitFor = (check, options) =>
  typeof options === 'number'
    ? waitFor(check, Math.max(timeout, options))
    : waitFor(check, { ...options, timeout: Math.max(timeout, options?.timeout ?? 0) });

// A hub gives up on a database after four seconds. Tests of those limits set their own; no other test may depend on time.
Object.assign(usualLimits, { requestMs: timeout, doubtMs: timeout, lockMs: timeout });

// A client that does not read the reply to a refused body in time finds its connection reset.
Object.assign(bodyLimits, { lingerMs: timeout });
