import { ownerCaller } from '../callers/callers.ts';
import type { Caller } from '../tools/caller.ts';
import type { ToolCall } from '../tools/run-tool.ts';
import type { Calls } from './calls.ts';

/** A tool that the user calls in person, on a screen or in a terminal. */
interface UserCall extends Pick<ToolCall, 'tool' | 'signal' | 'idempotencyKey'> {
  surface: Caller['surface'];
  input: object;
}

export interface UserCalls {
  /**
   * Runs a tool as the user: in the team as `HUMAN`, through the same checks and the same log as everyone else. `T` is the type of its
   * output schema. Throws the tool's error.
   */
  callAsUser<T extends object>(call: UserCall): Promise<T>;
}

export function userCalls(
  { execute }: Pick<Calls, 'execute'>,
  { loadTools }: { loadTools(): Promise<void> },
): UserCalls['callAsUser'] {
  return async <T extends object>({ surface, ...call }: UserCall): Promise<T> => {
    await loadTools();
    const outcome = await execute({ caller: { ...ownerCaller(surface), isUser: true }, ...call });
    if (outcome.ok) return outcome.data as T;
    throw outcome.error;
  };
}
