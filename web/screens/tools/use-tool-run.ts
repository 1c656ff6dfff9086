import { useEffect, useRef, useState } from 'react';
import type { ToolTrialBody } from '../../../src/tools/tools.contract.ts';
import { ApiError, request } from '../../api/client.ts';
import { errorText } from '../../ui/error-state.tsx';

export type ToolRun =
  | { state: 'none' }
  | { state: 'running'; startedAt: number }
  | { state: 'cancelled'; durationMs: number }
  /** The hub rejected the call. */
  | { state: 'rejected'; code: string; message: string; input: unknown }
  | { state: 'done'; trial: ToolTrialBody; input: unknown };

/** Runs one call at a time. Leaving the screen cancels it.  */
export function useToolRun(tool: string) {
  const [run, setRun] = useState<ToolRun>({ state: 'none' });
  const controller = useRef<AbortController | null>(null);
  useEffect(() => () => controller.current?.abort(), []);

  const start = async (input: unknown, as: CallAs) => {
    const current = new AbortController();
    controller.current?.abort();
    controller.current = current;
    const startedAt = Date.now();
    setRun({ state: 'running', startedAt });
    const end = (next: ToolRun) => {
      if (controller.current === current) setRun(next);
    };
    try {
      const body = {
        // The form produces an object; the hub rejects anything else.
        input: input as Record<string, unknown>,
        ...(as.kind === 'agent' && { agentId: as.id }),
        ...(as.kind === 'member' && { memberId: as.id }),
      };
      const { signal } = current;
      const trial = await request('POST /api/tools/{name}/call', { params: { name: tool }, body, signal });
      end({ state: 'done', trial, input });
    } catch (error) {
      if (current.signal.aborted) end({ state: 'cancelled', durationMs: Date.now() - startedAt });
      else
        end({ state: 'rejected', code: error instanceof ApiError ? error.code : '', message: errorText(error), input });
    }
  };
  return { run, start, cancel: () => controller.current?.abort() };
}

/** The caller: the user, an agent's scope, or a member. */
export type CallAs = { kind: 'user' } | { kind: 'agent'; id: string } | { kind: 'member'; id: string };
