import { dirname } from 'node:path';
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { scriptFiles } from '../host/host-files.ts';
import { type LuaBridge, openJob, openLibraries, pushContext } from './lua-libraries.ts';
import { createLuaMachine, type LuaMachine, LuaRaise } from './lua-machine.ts';
import {
  type HostAnswer,
  type HttpResponse,
  handedOver,
  type LuaThreadData,
  type RunMessage,
  type ThreadMessage,
} from './lua-messages.ts';
import { runScript, ScriptFailure } from './lua-run.ts';

/** A Lua thread: one job after the other, each in a machine that no script has touched. The main thread keeps the time. */
const { module, memoryBytes, answers, bell } = workerData as LuaThreadData;
const ring = new Int32Array(bell);
const silence = new Int32Array(new SharedArrayBuffer(4));
const maxLogLines = 1000;
/** Each further call waits a little, so that a script in a loop does not keep the main thread busy. */
const quickCalls = 500;
const callPauseMs = 1;
/** The same for bodies: the main thread must collect what it has passed on. */
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
    post({ type: 'call', ...call }, call.method === 'http' ? handedOver(call.request) : []);
    Atomics.wait(ring, 0, 0);
    // The bell rings after the answer was sent, and only this thread reads the port.
    const answer = receiveMessageOnPort(answers)?.message as HostAnswer;
    if ('error' in answer) throw new LuaRaise(answer.error);
    // The main thread answers http calls with this shape.
    if (call.method === 'http') carry(answer.value as HttpResponse);
    return answer.value;
  },
  log(level, message) {
    logLines += 1;
    if (logLines <= maxLogLines) post({ type: 'log', level, message });
    else if (logLines === maxLogLines + 1) {
      post({ type: 'log', level: 'warn', message: `More than ${maxLogLines} lines in one run: the rest is left out.` });
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

let machine = makeMachine();
post({ type: 'ready' });

parentPort?.on('message', (job: RunMessage) => {
  logLines = 0;
  calls = 0;
  carriedBytes = 0;
  folder = dirname(job.file);
  const { isBroken, message } = run(job);
  post(message);
  // The next job is prepared while nobody waits for it.
  if (isBroken || !machine.reset()) machine = makeMachine();
});

function run(job: RunMessage): { isBroken: boolean; message: ThreadMessage } {
  try {
    openJob(machine, job.table);
    const value = runScript(machine, job, { memoryBytes, pushContext: (L) => pushContext(machine, bridge, L) });
    return { isBroken: false, message: { type: 'result', value, memoryBytes: machine.memoryBytes() } };
  } catch (error) {
    if (!(error instanceof ScriptFailure)) throw error;
    const message = { type: 'failed', message: error.message, memoryBytes: machine.memoryBytes() } as const;
    return { isBroken: error.isMachineBroken, message };
  }
}

function makeMachine(): LuaMachine {
  const made = createLuaMachine(module, { memoryBytes });
  openLibraries(made, bridge, () => scriptFiles(folder));
  made.seal();
  return made;
}

function post(message: ThreadMessage, transfer: ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, transfer);
}
