import { z } from 'zod';
import { defineContract } from '../base/contract.ts';
import { wholeNumber } from '../base/contract-fields.ts';
import { StoredRun, StoredRunDetail } from '../engine/run-store.ts';

export const runsContract = defineContract('Runs', {
  'GET /api/runs': {
    right: 'work',
    summary: 'List agent runs',
    query: z.strictObject({
      agent: z.string().min(1).max(200).optional(),
      limit: wholeNumber.min(1).max(200).default(50),
      cursor: z.string().max(200).optional(),
    }),
    answer: 'Runs, newest first.',
    output: z.object({ runs: z.array(StoredRun), cursor: z.string().nullable() }),
    errors: [400],
  },
  'GET /api/runs/{id}': {
    right: 'work',
    summary: 'Read a run',
    description: 'Includes the conversation and any calls that a crash left open.',
    answer: 'The run.',
    output: StoredRunDetail,
    errors: [404],
  },
});
