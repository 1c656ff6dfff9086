import { vi } from 'vitest';

/** Vitest gives up after one second, which a busy machine may need, and has no setting for it. */
const timeout = 60_000;

const { waitFor } = vi;
vi.waitFor = (check, options) => waitFor(check, typeof options === 'number' ? options : { timeout, ...options });
