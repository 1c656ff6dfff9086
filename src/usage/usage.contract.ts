import { z } from 'zod';
import { defineContract } from '../base/contract.ts';
import { moment, wholeNumber } from '../base/contract-fields.ts';
import { Budget, BudgetState } from './budgets.ts';
import { UsageReport, usageDimensions } from './usage.ts';

const name = z
  .string()
  .max(300)
  .refine((text) => !text.includes('\0'), 'must not contain a NUL character')
  .optional();

const query = z.strictObject({
  since: moment,
  until: moment,
  by: z.enum(usageDimensions).default('agent'),
  step: wholeNumber.min(1).max(744).default(24).describe('The length of an interval in hours.'),
  agent: name,
  model: name,
  client: name,
  member: name.describe('An empty value selects calls without a member.'),
});

/** Model usage, and the budgets for it. */
export const usageContract = defineContract('Usage', {
  'GET /api/usage': {
    right: 'administer',
    summary: 'Report model usage',
    description: 'Whole hours and days, in UTC. Calls appear within a second.',
    query,
    answer: 'Sums by group and over time.',
    output: UsageReport,
    errors: [400],
  },
  'GET /api/usage/export': {
    right: 'administer',
    summary: 'Export model usage as CSV',
    query,
    answer: 'One line for each interval and group. A line such as "(12 more)" is the sum of further groups.',
    contentType: 'text/csv',
    errors: [400],
  },
  'GET /api/budgets': {
    right: 'administer',
    summary: 'List budgets',
    answer: 'The budgets, with what has been used of each.',
    output: z.object({ budgets: z.array(BudgetState) }),
  },
  'PUT /api/budgets/{id}': {
    right: 'administer',
    isAct: true,
    summary: 'Set a budget',
    description:
      'Limits the model calls of the hub, an agent or a member. With `stop`, a call that would begin after the limit was reached is refused; the call that reaches it is still completed.',
    body: Budget.extend({
      version: z
        .int()
        .nullable()
        .optional()
        .describe('The version that you changed, or null for a new budget. If it has changed since, the reply is 409.'),
    }),
    example: { scope: { kind: 'hub' }, period: 'month', unit: 'cost', limit: 50, action: 'stop' },
    status: 204,
    answer: 'The budget applies from now on.',
    errors: [400, 409],
  },
  'DELETE /api/budgets/{id}': {
    right: 'administer',
    isAct: true,
    summary: 'Delete a budget',
    status: 204,
    answer: 'The budget was deleted.',
    errors: [404],
  },
});
