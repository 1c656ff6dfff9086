import { dirname } from 'node:path';
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { scriptFiles } from '../host/host-files.ts';
import { type LuaBridge, openJob, openLibraries, pushContext } from './lua-libraries.ts';
import { createLuaMachine, type LuaMachine, LuaRaise } from './lua-machine.ts';
import {
  type HostAnswer,
  type HttpResponse,
  type LuaThreadData,
  type RunMessage,
  type ThreadMessage,
  transferableBuffers,
} from './lua-messages.ts';
import { runScript, ScriptFailure } from './lua-run.ts';

/** A Lua thread. It runs one job after another, each in a clean machine. The main thread enforces the time limits. */
const { module, memoryBytes, answers, bell } = workerData as LuaThreadData;
const ring = new Int32Array(bell);
const silence = new Int32Array(new SharedArrayBuffer(4));
const maxLogLines = 1000;
/** Calls beyond this number are delayed, so that a script in a loop does not keep the main thread busy. */
const quickCalls = 500;
const callPauseMs = 1;
/** HTTP bodies beyond this size are delayed, so that the main thread can free memory. */
const quickBytes = 20 * 1024 * 1024;
const bytesPerMs = 250_000;

let folder = '';
let logLines = 0;
let calls = 0;
let carriedBytes = 0;

const bridge: LuaBridge = {
  call(call) {
    calls += 1;
    if (calls > quickCalls) Atomics.wait(silence, 0, 0, callPauseMs);
    if (call.method === 'http') carry(call.request);
    Atomics.store(ring, 0, 0);
    post({ type: 'call', ...call }, call.method === 'http' ? transferableBuffers(call.request) : []);
    Atomics.wait(ring, 0, 0);
    // The bell rings after the reply was sent, and only this thread reads the port.
    const answer = receiveMessageOnPort(answers)?.message as HostAnswer;
    if ('error' in answer) throw new LuaRaise(answer.error);
    // The main thread replies to http calls with this shape.
    if (call.method === 'http') carry(answer.value as HttpResponse);
    return answer.value;
  },
  log(level, message) {
    logLines += 1;
    if (logLines <= maxLogLines) post({ type: 'log', level, message });
    else if (logLines === maxLogLines + 1) {
      post({
        type: 'log',
        level: 'warn',
        message: `This run logged more than ${maxLogLines} lines. The rest is omitted.`,
      });
    }
  },
  sleep(milliseconds) {
    Atomics.wait(silence, 0, 0, milliseconds);
  },
};

function carry({ body }: { body?: Uint8Array }): void {
  const bytes = body?.length ?? 0;
  carriedBytes += bytes;
  if (carriedBytes > quickBytes) Atomics.wait(silence, 0, 0, bytes / bytesPerMs);
}

let machine = newMachine();
post({ type: 'ready' });

parentPort?.on('message', (job: RunMessage) => {
  logLines = 0;
  calls = 0;
  carriedBytes = 0;
  folder = dirname(job.file);
  const { isBroken, message } = run(job);
  post(message);
  // Prepares the machine for the next job while no job is waiting.
  if (isBroken || !machine.reset()) machine = newMachine();
});

function run(job: RunMessage): { isBroken: boolean; message: ThreadMessage } {
  try {
    machine.limitMemory(job.memoryBytes);
    openJob(machine, job.table);
    const value = runScript(machine, job, {
      pushContext: (L) => pushContext(machine, bridge, L),
      sendItems: (items) => void bridge.call({ method: 'items', items }),
      warn: (message) => bridge.log('warn', message),
    });
    return { isBroken: false, message: { type: 'result', value, memoryBytes: machine.memoryBytes() } };
  } catch (error) {
    if (!(error instanceof ScriptFailure)) throw error;
    const message = { type: 'failed', message: error.message, memoryBytes: machine.memoryBytes() } as const;
    return { isBroken: error.isMachineBroken, message };
  }
}

function newMachine(): LuaMachine {
  const created = createLuaMachine(module, { memoryBytes });
  openLibraries(created, bridge, () => scriptFiles(folder));
  created.seal();
  return created;
}

function post(message: ThreadMessage, transfer: ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, transfer);
}
