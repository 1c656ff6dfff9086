import { z } from 'zod';
import { defineContract } from '../base/contract.ts';
import { wholeNumber } from '../base/contract-fields.ts';
import { StoredRun, StoredRunDetail } from '../engine/run-store.ts';

export const runsContract = defineContract('Runs', {
  'GET /api/runs': {
    right: 'work',
    summary: 'List runs of agents',
    query: z.strictObject({
      agent: z.string().min(1).max(200).optional(),
      limit: wholeNumber.min(1).max(200).default(50),
      cursor: z.string().max(200).optional(),
    }),
    answer: 'Newest first.',
    output: z.object({ runs: z.array(StoredRun), cursor: z.string().nullable() }),
    errors: [400],
  },
  'GET /api/runs/{id}': {
    right: 'work',
    summary: 'Read a run',
    description: 'The conversation, and what a crash left open.',
    answer: 'The run.',
    output: StoredRunDetail,
    errors: [404],
  },
});
