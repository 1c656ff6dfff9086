import type { HubError } from '../base/hub-error.ts';
import { ModelFailureReason } from './model.ts';
import type { RefusalKind, RunError, RunResult, RunStatus } from './run-events.ts';
import type { RunState } from './run-state.ts';

/** How the loop ended, with the error if it failed. */
export type RunEnd =
  | { status: Exclude<RunStatus, 'failed' | 'aborted'>; reason: string; refusal?: RefusalKind }
  | { status: 'failed'; error: unknown };

/** Stores the end of a run and returns its result. If the store fails, the run counts as failed. */
export async function endRun(run: RunState, end: RunEnd): Promise<RunResult> {
  const outcome = toOutcome(run, end);
  try {
    await run.record.finish(outcome);
    return toResult(run, outcome);
  } catch (error) {
    // The store's first error is the most useful one.
    const failure = run.failure ?? run.known(error);
    return toResult(run, { status: 'failed', reason: failure.message, error: toRunError(failure) });
  }
}

export function toRunError({ code, message, details }: HubError): RunError {
  const { data: reason } = ModelFailureReason.safeParse(details?.reason);
  return { code, message, ...(reason && { reason }) };
}

type Outcome = Pick<RunResult, 'status' | 'reason' | 'refusal' | 'error'>;

function toOutcome(run: RunState, end: RunEnd): Outcome {
  if (end.status !== 'failed') return { ...end, error: null };
  if (run.signal.aborted && !run.failure) return { status: 'aborted', reason: run.signal.reason.message, error: null };
  const failure = run.failure ?? run.known(end.error);
  return { status: 'failed', reason: failure.message, error: toRunError(failure) };
}

function toResult(run: RunState, { status, reason, refusal, error }: Outcome): RunResult {
  return {
    runId: run.id,
    status,
    reason,
    ...(refusal && { refusal }),
    text: run.text,
    messages: run.com.messages.slice(run.firstMessage),
    ticks: run.ticks,
    usage: run.usage,
    cost: run.cost,
    together: { usage: run.purse.usage, cost: run.purse.cost },
    error,
  };
}
