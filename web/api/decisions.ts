import type {
  DecisionBody,
  DecisionCountsBody,
  DecisionListBody,
  DecisionToolsBody,
} from '../../src/http/team-types.ts';
import { send } from './client.ts';

export interface DecisionFilter {
  agentId?: string;
  tool?: string;
  kind?: string;
  taskId?: string;
  callId?: string;
  /** ISO 8601. */
  since?: string;
  until?: string;
  text?: string;
}

/**
 * Where a page begins: older ones go on from a cursor (null: at the newest), newer ones come after one, `except` those
 * (by number) that an earlier page had already.
 */
export type PagePlace = { cursor: string | null } | { after: string; except?: readonly number[] };

export interface CountsRequest {
  since: number;
  until: number;
  stepMinutes: number;
  agentId?: string | undefined;
  tool?: string | undefined;
}

export const decisionPageSize = 200;

export const decisionsApi = {
  page: (filter: DecisionFilter, place: PagePlace, { limit, signal }: { limit: number; signal?: AbortSignal }) => {
    const search = new URLSearchParams({ ...filter, limit: String(limit) });
    if ('after' in place) search.set('after', place.after);
    else if (place.cursor !== null) search.set('cursor', place.cursor);
    return send<DecisionListBody>('GET', `/api/decisions?${search}`, { signal });
  },
  counts: ({ since, until, stepMinutes, agentId, tool }: CountsRequest, signal?: AbortSignal) => {
    const search = new URLSearchParams({
      since: new Date(since).toISOString(),
      until: new Date(until).toISOString(),
      step: String(stepMinutes),
      ...(agentId && { agentId }),
      ...(tool && { tool }),
    });
    return send<DecisionCountsBody>('GET', `/api/decisions/counts?${search}`, { signal });
  },
  entry: (seq: number, signal?: AbortSignal) => send<DecisionBody>('GET', `/api/decisions/${seq}`, { signal }),
  tools: (signal?: AbortSignal) => send<DecisionToolsBody>('GET', '/api/decisions/tools', { signal }),
};
