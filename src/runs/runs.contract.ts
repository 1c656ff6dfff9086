import { z } from 'zod';
import { defineContract, outline } from '../base/contract.ts';
import { moment, wholeNumber } from '../base/contract-fields.ts';
import { NewChatInput } from '../chats/chat-input.ts';
import type { Message } from '../engine/message.ts';
import { calledRunsFilter, RunStep, StoredRun, StoredRunDetail } from '../engine/run-store.ts';
import { RunTotals } from './runs.ts';

const filters = {
  called: z
    .enum(calledRunsFilter)
    .default('hide')
    .describe('What to do with runs that other runs started by calling an agent.'),
  agent: z.string().min(1).max(200).optional(),
  state: StoredRun.shape.status.optional(),
  since: moment.optional().describe('Runs that began at or after this time.'),
  until: moment.optional(),
  text: z
    .string()
    .max(200)
    .optional()
    .describe(
      'Words that must all be in the first line of the question, the id of the agent, the model or the reason why the run ended.',
    ),
};

/** What a step sent to the model, without secrets. */
export const StepPrompt = z.object({
  step: RunStep,
  system: z.string().nullable().describe('Null if it is no longer stored.'),
  tools: z.array(z.object({ name: z.string(), description: z.string(), inputSchema: z.unknown().optional() })),
  messages: outline<Message[]>()(
    z.array(z.object({ role: z.string(), content: z.array(z.looseObject({ type: z.string() })) })),
  ),
});
export type StepPrompt = z.infer<typeof StepPrompt>;

const StartedRun = z.object({ runId: z.string(), chatId: z.string() });

export const runsContract = defineContract('Runs', {
  'GET /api/runs': {
    right: 'work',
    summary: 'List agent runs',
    query: z.strictObject({
      ...filters,
      limit: wholeNumber.min(1).max(200).default(50),
      cursor: z.string().max(200).optional(),
    }),
    answer: 'Runs, newest first.',
    output: z.object({ runs: z.array(StoredRun), cursor: z.string().nullable() }),
    errors: [400],
  },
  'POST /api/runs': {
    right: 'work',
    summary: 'Start a run',
    description: 'Sends the input in a new chat, in which you can approve calls and continue afterwards.',
    body: NewChatInput.pick({ agentId: true, model: true, arguments: true }).extend({
      input: NewChatInput.shape.message.unwrap(),
    }),
    example: { agentId: 'code-wizard', input: 'What can you do?' },
    status: 201,
    answer: 'The run has started.',
    output: StartedRun,
    errors: [400, 404],
  },
  'GET /api/runs/totals': {
    right: 'work',
    summary: 'Read the totals of runs',
    query: z.strictObject(filters),
    answer: 'The totals of the runs that match.',
    output: RunTotals,
    errors: [400],
  },
  'GET /api/runs/{id}': {
    right: 'work',
    summary: 'Read a run',
    description:
      'Includes the conversation, the steps with their times, the runs of the agents that it called, and any calls that a crash left open.',
    answer: 'The run.',
    output: StoredRunDetail,
    errors: [404],
  },
  'GET /api/runs/{id}/steps/{step}': {
    right: 'work',
    summary: 'Read what a step sent to the model',
    answer: 'System text, tools and messages, without secrets.',
    output: StepPrompt,
    errors: [400, 404],
  },
  'POST /api/runs/{id}/fork': {
    right: 'work',
    summary: 'Run again, or fork from a step',
    description:
      'Starts a new chat with the agent and model of the run. Without `step`, it asks the same question after the same conversation. With the number of a model call, it begins with the conversation that this step sent to the model, and continues with `message`.',
    body: z.strictObject({
      step: z.int().min(1).optional(),
      message: NewChatInput.shape.message.describe('The next message. By default, the question of the run.'),
    }),
    isBodyOptional: true,
    example: { step: 2, message: 'Try the other file.' },
    status: 201,
    answer: 'The run has started.',
    output: StartedRun,
    errors: [400, 404],
  },
});
