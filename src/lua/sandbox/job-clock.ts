import { HubError } from '../../base/hub-error.ts';
import type { LuaJob } from './lua-job.ts';

/** The time limit of a job, including waiting, loading, running and all host calls. */
export interface JobClock {
  /** Aborts with TIMEOUT, CANCELLED or the reason of `closing`. */
  signal: AbortSignal;
  /** Called when the job has a thread. It gets the rest of its time, but at least half of the limit. */
  begin(): void;
  /** Runs something that does not count towards the job's time. Only between `begin` and `stop`. */
  suspended<T>(run: () => Promise<T>): Promise<T>;
  stop(): void;
}

/** The maximum delay of a timer. */
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
  let isStopped = false;
  let waited = 0;
  let endsAt = 0;
  const runUntil = (time: number) => {
    endsAt = time;
    clearTimeout(timer);
    timer = setTimeout(() => controller.abort(tooLong(job, waited)), Math.max(endsAt - performance.now(), 0));
  };
  return {
    signal: controller.signal,
    begin() {
      const now = performance.now();
      waited = now - since;
      runUntil(now + Math.max(limit - waited, limit / 2));
    },
    async suspended(run) {
      const left = endsAt - performance.now();
      clearTimeout(timer);
      try {
        return await run();
      } finally {
        if (!isStopped) runUntil(performance.now() + left);
      }
    },
    stop() {
      isStopped = true;
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
    `${job.shown} ran past its limit of ${seconds(job.timeoutMs)} and was stopped.${wait} To allow more time, raise "timeout".`,
  );
}

function noThread(job: LuaJob): HubError {
  return new HubError(
    'TIMEOUT',
    `${job.shown} could not start within its limit of ${seconds(job.timeoutMs)}, because other scripts used all Lua threads.`,
  );
}

function seconds(milliseconds: number): string {
  return `${Number((milliseconds / 1000).toFixed(2))} s`;
}
