import { MessageChannel, Worker } from 'node:worker_threads';
import { HubError } from '../../base/hub-error.ts';
import { workerUrl } from '../../base/worker-url.ts';
import { answerHostCall } from '../host/host-calls.ts';
import type { LuaJob } from './lua-job.ts';
import {
  type HostAnswer,
  type HostCall,
  handedOver,
  type LuaThreadData,
  type RunMessage,
  type ThreadMessage,
} from './lua-messages.ts';
import { megabytes } from './lua-values.ts';

/** Room for results, HTTP bodies and parsed JSON on the JavaScript side of a thread. */
const heapMegabytes = 192;
const heavyBytes = 32 * 1024 * 1024;

/** One worker thread. It runs one job at a time and is thrown away when that job must be stopped. */
export interface LuaThread {
  /** True once it can run jobs, false when it ended before. */
  ready: Promise<boolean>;
  /** Throws AGENT_ERROR or TOOL_ERROR, or INTERNAL_ERROR when the thread itself breaks. Rejects with the reason of `signal` when that fires first. */
  run(job: LuaJob, signal: AbortSignal): Promise<unknown>;
  /** Ends the thread, whatever it is doing. */
  stop(): Promise<void>;
  /** False once it has ended by itself or was stopped. */
  isAlive(): boolean;
  /** The last job left much memory behind, which only the end of the thread surely returns. */
  isHeavy(): boolean;
}

export function startLuaThread(options: { module: WebAssembly.Module; memoryBytes: number }): LuaThread {
  const { port1: answers, port2 } = new MessageChannel();
  const bell = new SharedArrayBuffer(4);
  const workerData: LuaThreadData = { ...options, answers: port2, bell };
  const worker = new Worker(workerUrl('lua/sandbox/lua-worker'), {
    workerData,
    transferList: [port2],
    // A script must find nothing of the process here, and nothing of the thread may reach the output.
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: heapMegabytes, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 },
  });
  worker.unref();
  answers.unref();
  let isAlive = true;
  let isHeavy = false;
  const ready = Promise.withResolvers<boolean>();
  let current: { job: LuaJob; signal: AbortSignal; settle(outcome: Outcome): void } | undefined;

  worker.on('message', (message: ThreadMessage) => {
    if (message.type === 'ready') ready.resolve(true);
    else if (!current) return;
    else if (message.type === 'call') void answer(message);
    else if (message.type === 'log') {
      current.job.host.logger[message.level]({ script: current.job.shown }, message.message);
    } else {
      isHeavy = message.memoryBytes > heavyBytes;
      if (message.type === 'result') current.settle({ value: message.value });
      else current.settle({ error: new HubError(failureCode(current.job), message.message) });
    }
  });
  // An error may overtake a result that was posted before it. Node delivers what is left before 'exit', which always follows.
  let fault: Error | undefined;
  worker.on('error', (error) => {
    isAlive = false;
    fault = error;
  });
  worker.on('exit', () => end(fault));

  return {
    ready: ready.promise,
    isAlive: () => isAlive,
    isHeavy: () => isHeavy,
    async stop() {
      isAlive = false;
      answers.close();
      await worker.terminate();
    },
    run(job, signal) {
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      const onAbort = () => current?.settle({ error: signal.reason });
      current = {
        job,
        signal,
        settle(outcome) {
          current = undefined;
          signal.removeEventListener('abort', onAbort);
          if ('error' in outcome) reject(outcome.error);
          else resolve(outcome.value);
        },
      };
      signal.addEventListener('abort', onAbort);
      const { file, text, shown, table, call } = job;
      const message: RunMessage = {
        type: 'run',
        file,
        shown,
        table,
        ...(text !== undefined && { text }),
        ...(call && { call }),
      };
      try {
        worker.postMessage(message);
      } catch (error) {
        current.settle({ error });
      }
      return promise;
    },
  };

  async function answer(call: HostCall): Promise<void> {
    if (!current) return;
    const { job, signal } = current;
    const reply: HostAnswer = await answerHostCall(job, call, signal);
    if (!isAlive || signal.aborted) return;
    try {
      answers.postMessage(reply, call.method === 'http' && 'value' in reply ? handedOver(reply.value) : []);
    } catch (error) {
      // Only data can cross; whoever answered with something else has a fault.
      job.host.logger.error({ script: job.shown, error, method: call.method }, 'An answer to a Lua script is no data.');
      answers.postMessage({ error: 'Internal error' } satisfies HostAnswer);
    }
    Atomics.store(new Int32Array(bell), 0, 1);
    Atomics.notify(new Int32Array(bell), 0);
  }

  function end(error: Error | undefined): void {
    isAlive = false;
    ready.resolve(false);
    answers.close();
    current?.settle({ error: brokenThread(current.job, error) });
  }

  function brokenThread(job: LuaJob, error: Error | undefined): HubError {
    if (error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY') {
      const limit = megabytes(options.memoryBytes);
      return new HubError(failureCode(job), `${job.shown} used more than ${limit} of memory and was stopped.`);
    }
    return new HubError('INTERNAL_ERROR', 'Internal error', { cause: error ?? new Error('A Lua thread ended.') });
  }
}

type Outcome = { value: unknown } | { error: unknown };

function failureCode(job: LuaJob): 'AGENT_ERROR' | 'TOOL_ERROR' {
  return job.table === 'agent' ? 'AGENT_ERROR' : 'TOOL_ERROR';
}
