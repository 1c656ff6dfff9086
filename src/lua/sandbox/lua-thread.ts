import { MessageChannel, Worker } from 'node:worker_threads';
import { HubError } from '../../base/hub-error.ts';
import { workerUrl } from '../../base/worker-url.ts';
import { answerHostCall } from '../host/host-calls.ts';
import type { LuaJob } from './lua-job.ts';
import {
  type HostAnswer,
  type HostCall,
  type LuaThreadData,
  type RunMessage,
  type ThreadMessage,
  transferableBuffers,
} from './lua-messages.ts';
import { megabytes } from './lua-values.ts';

/** The JavaScript heap of a thread, for results, HTTP bodies and parsed JSON. */
const heapMegabytes = 192;
const heavyBytes = 32 * 1024 * 1024;
/** A scan builds all its documents before the first is read. */
const scanMemoryBytes = 256 * 1024 * 1024;

/** One worker thread. It runs one job at a time, and is discarded if a job has to be stopped. */
export interface LuaThread {
  /** Resolves to true once the thread can run jobs, and to false if it ended before. */
  ready: Promise<boolean>;
  /** Throws AGENT_ERROR or TOOL_ERROR, or INTERNAL_ERROR if the thread fails. Rejects with the reason of `signal` if that aborts first. */
  run(job: LuaJob, signal: AbortSignal): Promise<unknown>;
  /** Terminates the thread. */
  stop(): Promise<void>;
  /** False once the thread has ended or was stopped. */
  isAlive(): boolean;
  /** Whether the last job used so much memory that the thread should end to release it. */
  isHeavy(): boolean;
}

export function startLuaThread(options: { module: WebAssembly.Module; memoryBytes: number }): LuaThread {
  const { port1: answers, port2 } = new MessageChannel();
  const bell = new SharedArrayBuffer(4);
  const workerData: LuaThreadData = { ...options, answers: port2, bell };
  const worker = new Worker(workerUrl('lua/sandbox/lua-worker'), {
    workerData,
    transferList: [port2],
    // Hides the environment from scripts, and keeps the thread's output away from the process.
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
  // An error can arrive before an earlier result. Node delivers all messages before 'exit', which always follows.
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
        memoryBytes: memoryOf(job),
        isList: job.takeItems !== undefined,
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

  function memoryOf(job: LuaJob): number {
    return job.takeItems ? Math.max(scanMemoryBytes, options.memoryBytes) : options.memoryBytes;
  }

  async function answer(call: HostCall): Promise<void> {
    if (!current) return;
    const { job, signal } = current;
    const reply: HostAnswer = await answerHostCall(job, call, signal);
    if (!isAlive || signal.aborted) return;
    try {
      answers.postMessage(reply, call.method === 'http' && 'value' in reply ? transferableBuffers(reply.value) : []);
    } catch (error) {
      // Only structured-clonable data can be sent. Anything else is a bug.
      job.host.logger.error({ script: job.shown, error, method: call.method }, 'reply to a Lua script cannot be sent');
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
      const limit = megabytes(memoryOf(job));
      return new HubError(failureCode(job), `${job.shown} used more than ${limit} of memory and was stopped.`);
    }
    return new HubError('INTERNAL_ERROR', 'Internal error', { cause: error ?? new Error('A Lua thread ended.') });
  }
}

type Outcome = { value: unknown } | { error: unknown };

function failureCode(job: LuaJob): 'AGENT_ERROR' | 'TOOL_ERROR' {
  return job.table === 'agent' ? 'AGENT_ERROR' : 'TOOL_ERROR';
}
