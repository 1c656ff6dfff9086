import type { RunBody, RunListBody } from '../../src/http/server-types.ts';
import { send } from './client.ts';

const pageSize = 50;

export const runsApi = {
  list: (agentId: string | undefined, cursor: string | null, signal?: AbortSignal) => {
    const search = new URLSearchParams({
      limit: String(pageSize),
      ...(agentId && { agent: agentId }),
      ...(cursor !== null && { cursor }),
    });
    return send<RunListBody>('GET', `/api/runs?${search}`, { signal });
  },
  get: (id: string, signal?: AbortSignal) => send<RunBody>('GET', `/api/runs/${encodeURIComponent(id)}`, { signal }),
};
