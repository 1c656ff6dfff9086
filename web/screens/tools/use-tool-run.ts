import { useEffect, useRef, useState } from 'react';
import type { ToolTrialBody } from '../../../src/tools/tools.contract.ts';
import { ApiError, request } from '../../api/client.ts';
import { errorText } from '../../ui/error-state.tsx';

export type ToolRun =
  | { state: 'none' }
  | { state: 'running'; startedAt: number }
  | { state: 'cancelled'; durationMs: number }
  /** The hub did not take the call. */
  | { state: 'refused'; code: string; message: string; input: unknown }
  | { state: 'done'; trial: ToolTrialBody; input: unknown };

/** One call at a time; leaving the screen cancels it, as closing a client does. */
export function useToolRun(tool: string) {
  const [run, setRun] = useState<ToolRun>({ state: 'none' });
  const controller = useRef<AbortController | null>(null);
  useEffect(() => () => controller.current?.abort(), []);

  const start = async (input: unknown, as: CallAs) => {
    const mine = new AbortController();
    controller.current?.abort();
    controller.current = mine;
    const startedAt = Date.now();
    setRun({ state: 'running', startedAt });
    const end = (next: ToolRun) => {
      if (controller.current === mine) setRun(next);
    };
    try {
      const body = {
        // The form of a tool makes an object; anything else the hub refuses.
        input: input as Record<string, unknown>,
        ...(as.kind === 'agent' && { agentId: as.id }),
        ...(as.kind === 'member' && { memberId: as.id }),
      };
      const { signal } = mine;
      const trial = await request('POST /api/tools/{name}/call', { params: { name: tool }, body, signal });
      end({ state: 'done', trial, input });
    } catch (error) {
      if (mine.signal.aborted) end({ state: 'cancelled', durationMs: Date.now() - startedAt });
      else
        end({ state: 'refused', code: error instanceof ApiError ? error.code : '', message: errorText(error), input });
    }
  };
  return { run, start, cancel: () => controller.current?.abort() };
}

/** Whose call it is: the person's own, one in the scope of an agent, or one of a member. */
export type CallAs = { kind: 'person' } | { kind: 'agent'; id: string } | { kind: 'member'; id: string };
