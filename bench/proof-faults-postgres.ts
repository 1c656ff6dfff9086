import type { ProveFault } from './proof-faults.ts';

export const postgresFaults: readonly ProveFault[] = [];
