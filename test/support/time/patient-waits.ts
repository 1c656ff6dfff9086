import { vi } from 'vitest';
import { usualLimits } from '../../../src/db/postgres/postgres-connections.ts';

/** Vitest gives up after one second, which a busy machine may need, and has no setting for it. */
const timeout = 60_000;

const { waitFor } = vi;
vi.waitFor = (check, options) =>
  typeof options === 'number'
    ? waitFor(check, Math.max(timeout, options))
    : waitFor(check, { ...options, timeout: Math.max(timeout, options?.timeout ?? 0) });

// A hub gives up on a database after four seconds. Tests of that set limits of their own; in the others no time decides.
Object.assign(usualLimits, { requestMs: timeout, doubtMs: timeout, lockMs: timeout });
