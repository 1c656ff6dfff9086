import type { ToolDetailListBody, ToolTrialBody } from '../../src/http/server-types.ts';
import { send } from './client.ts';

/** Whose call it is: the person's own, one in the scope of an agent, or one of a member. */
export type CallAs = { kind: 'person' } | { kind: 'agent'; id: string } | { kind: 'member'; id: string };

export const toolsApi = {
  list: (signal?: AbortSignal) => send<ToolDetailListBody>('GET', '/api/tools', { signal }),
  /** Through the pipeline: checked, logged, run. */
  call: (name: string, { input, as }: { input: unknown; as: CallAs }, signal?: AbortSignal) =>
    send<ToolTrialBody>('POST', `/api/tools/${encodeURIComponent(name)}/call`, {
      body: {
        input,
        ...(as.kind === 'agent' && { agentId: as.id }),
        ...(as.kind === 'member' && { memberId: as.id }),
      },
      signal,
    }),
};
