import { toIso } from '../base/clock.ts';
import { HubError } from '../base/hub-error.ts';
import { implement, type Route } from '../http/route.ts';
import type { DecisionHistory, StoredDecision, VerifyReport } from '../tools/decision-log.ts';
import { type DecisionBody, decisionsContract } from './decisions.contract.ts';

const maxIntervals = 2_000;

export function decisionRoutes(decisions: DecisionHistory): Route[] {
  let verifying: Promise<VerifyReport> | undefined;
  /** Requests that come while the log is being read share the result. */
  function verify(): Promise<VerifyReport> {
    verifying ??= decisions.verify().finally(() => {
      verifying = undefined;
    });
    return verifying;
  }

  return implement(decisionsContract)({
    'GET /api/decisions': async ({ query }) => {
      const { entries, cursor, newest } = await decisions.page(query);
      return { decisions: entries.map(toBody), cursor, newest };
    },
    'GET /api/decisions/counts': async ({ query: { step, since, until, ...rest } }) => {
      const stepMs = step * 60_000;
      if (until < since || (until - since) / stepMs > maxIntervals) {
        throw new HubError('INVALID_ARGUMENTS', `step: at most ${maxIntervals} intervals between since and until.`);
      }
      const { intervals, completeSince } = await decisions.counts({ since, until, stepMs, ...rest });
      return {
        stepMinutes: step,
        counts: intervals.map(({ at, ...rest }) => ({ at: toIso(at), ...rest })),
        completeSince: completeSince === null ? null : toIso(completeSince),
      };
    },
    'GET /api/decisions/tools': async () => ({ tools: await decisions.tools() }),
    'GET /api/decisions/verify': () => verify(),
    'GET /api/decisions/{seq}': async ({ params }) => {
      const seq = /^\d{1,15}$/.test(params.seq) ? Number(params.seq) : undefined;
      const entry = seq === undefined ? undefined : await decisions.find(seq);
      if (entry) return toBody(entry);
      throw new HubError('RESOURCE_NOT_FOUND', `The decision log has no entry ${params.seq.slice(0, 80)}.`);
    },
  });
}

function toBody(entry: StoredDecision): DecisionBody {
  return { ...entry, at: toIso(entry.at), context: withoutStack(entry.context) };
}

/** Removes stack traces, which are only for users of the machine; `zoo log` shows them. */
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
