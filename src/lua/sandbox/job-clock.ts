import { HubError } from '../../base/hub-error.ts';
import type { LuaJob } from './lua-job.ts';

/** The one limit of a job, over waiting, loading, running and every host call. */
export interface JobClock {
  /** Fires with TIMEOUT, CANCELLED or the reason of `closing`. */
  signal: AbortSignal;
  /** The job has its thread: what is left of its time runs, at least half of it. */
  begin(): void;
  stop(): void;
}

/** The longest wait a timer can hold. */
const maxTimerMs = 2 ** 31 - 1;

export function startClock(job: LuaJob, closing: AbortSignal): JobClock {
  const controller = new AbortController();
  const since = performance.now();
  const limit = Math.min(job.timeoutMs, maxTimerMs);
  const onCancel = () => controller.abort(new HubError('CANCELLED', `${job.shown} was cancelled.`));
  const onClosing = () => controller.abort(closing.reason);
  job.signal?.addEventListener('abort', onCancel);
  closing.addEventListener('abort', onClosing);
  if (job.signal?.aborted) onCancel();
  if (closing.aborted) onClosing();
  let timer = setTimeout(() => controller.abort(noThread(job)), limit);
  return {
    signal: controller.signal,
    begin() {
      const waited = performance.now() - since;
      clearTimeout(timer);
      timer = setTimeout(() => controller.abort(tooLong(job, waited)), Math.max(limit - waited, limit / 2));
    },
    stop() {
      clearTimeout(timer);
      job.signal?.removeEventListener('abort', onCancel);
      closing.removeEventListener('abort', onClosing);
    },
  };
}

function tooLong(job: LuaJob, waited: number): HubError {
  const wait = waited < 100 ? '' : ` It had waited ${seconds(waited)} for a free thread.`;
  return new HubError(
    'TIMEOUT',
    `${job.shown} ran past its limit of ${seconds(job.timeoutMs)} and was stopped.${wait} A higher "timeout" gives it longer.`,
  );
}

function noThread(job: LuaJob): HubError {
  return new HubError(
    'TIMEOUT',
    `${job.shown} could not start within its limit of ${seconds(job.timeoutMs)}: other scripts held all Lua threads.`,
  );
}

function seconds(milliseconds: number): string {
  return `${Number((milliseconds / 1000).toFixed(2))} s`;
}
