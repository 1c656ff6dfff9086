import { z } from 'zod';
import { toIso } from '../../base/clock.ts';
import { HubError } from '../../base/hub-error.ts';
import type { Hub } from '../../hub.ts';
import { decisionKinds, type StoredDecision } from '../../tools/decision-log.ts';
import { defineRoute, type Route } from '../route.ts';
import { DecisionBody, DecisionCountsBody, DecisionListBody, DecisionToolsBody } from '../team-schemas.ts';
import type * as Api from '../team-types.ts';
import { pageQuery } from './page-query.ts';

const group = 'Decisions';
/** PostgreSQL takes no NUL, not even in a question. */
const name = z
  .string()
  .min(1)
  .max(200)
  .refine((text) => !text.includes('\0'), 'must not hold a NUL character')
  .optional();
const moment = z
  .string()
  .max(40)
  .refine((text) => !Number.isNaN(Date.parse(text)), 'must be a date or a time, as in 2026-01-31T08:00:00Z')
  .transform((text) => Date.parse(text));
const mostIntervals = 2_000;

/** The decision log, for the person. */
export function decisionRoutes(hub: Hub): Route[] {
  const { decisions } = hub;
  return [
    defineRoute({
      method: 'get',
      path: '/api/decisions',
      group,
      summary: 'List what was called and decided',
      query: pageQuery.extend({
        agentId: name.describe('A member.'),
        tool: name,
        kind: z.enum(decisionKinds).optional(),
        taskId: name,
        callId: name.describe('Both sides of one call.'),
        since: moment.optional(),
        until: moment.optional(),
        text: z
          .string()
          .min(1)
          .max(200)
          .optional()
          .describe('A page may be empty and have a cursor: the search goes on there.'),
        after: z
          .string()
          .min(1)
          .max(500)
          .optional()
          .describe('`newest` of an earlier page: what came since, oldest first.'),
      }),
      answer: { status: 200, description: 'Newest first.', schema: DecisionListBody },
      errors: [400],
      handle: async ({ context, query }) => {
        const { entries, cursor, newest } = await decisions.page(query);
        return context.json({ decisions: entries.map(toBody), cursor, newest } satisfies Api.DecisionListBody);
      },
    }),
    defineRoute({
      method: 'get',
      path: '/api/decisions/counts',
      group,
      summary: 'Count calls and errors over time',
      query: z.strictObject({
        since: moment,
        until: moment,
        step: z.coerce.number().int().min(1).max(44_640).describe('Minutes.'),
        agentId: name,
        tool: name,
      }),
      answer: { status: 200, description: 'One entry for each interval with calls.', schema: DecisionCountsBody },
      errors: [400],
      handle: async ({ context, query: { step, since, until, ...rest } }) => {
        const stepMs = step * 60_000;
        if (until < since || (until - since) / stepMs > mostIntervals) {
          throw new HubError('INVALID_ARGUMENTS', `step: at most ${mostIntervals} intervals between since and until.`);
        }
        const counts = await decisions.counts({ since, until, stepMs, ...rest });
        const body: Api.DecisionCountsBody = {
          stepMinutes: step,
          counts: counts.map(({ at, calls, errors }) => ({ at: toIso(at), calls, errors })),
        };
        return context.json(body);
      },
    }),
    defineRoute({
      method: 'get',
      path: '/api/decisions/tools',
      group,
      summary: 'List the tools that were called',
      answer: { status: 200, description: 'Their names.', schema: DecisionToolsBody },
      handle: async ({ context }) => context.json({ tools: await decisions.tools() }),
    }),
    defineRoute({
      method: 'get',
      path: '/api/decisions/{seq}',
      group,
      summary: 'Read one entry',
      answer: { status: 200, description: 'The entry.', schema: DecisionBody },
      errors: [404],
      handle: async ({ context, param }) => {
        const seq = /^\d{1,15}$/.test(param('seq')) ? Number(param('seq')) : undefined;
        const entry = seq === undefined ? undefined : await decisions.find(seq);
        if (!entry)
          throw new HubError('RESOURCE_NOT_FOUND', `The decision log has no entry ${param('seq').slice(0, 80)}.`);
        return context.json(toBody(entry));
      },
    }),
  ];
}

function toBody(entry: StoredDecision): Api.DecisionBody {
  return { ...entry, at: toIso(entry.at), context: withoutStack(entry.context) };
}

/** A stack trace is for whoever has the machine: `zoo log` shows it. */
function withoutStack(json: string): unknown {
  try {
    const context: unknown = JSON.parse(json);
    if (typeof context !== 'object' || context === null || !('stack' in context)) return context;
    const { stack: _, ...rest } = context;
    return rest;
  } catch {
    return null;
  }
}
