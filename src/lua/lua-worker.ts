import { dirname } from 'node:path';
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { scriptFiles } from './host-files.ts';
import { type LuaBridge, openLibraries, openTable, pushContext } from './lua-libraries.ts';
import { createLuaMachine, type LuaMachine, LuaRaise } from './lua-machine.ts';
import type { HostAnswer, LuaThreadData, RunMessage, ThreadMessage } from './lua-messages.ts';
import { runScript, ScriptFailure } from './lua-run.ts';

/** A Lua thread: one job after the other, each in a machine that no script has touched. The main thread keeps the time. */
const { module, memoryBytes, answers, bell } = workerData as LuaThreadData;
const ring = new Int32Array(bell);
const silence = new Int32Array(new SharedArrayBuffer(4));
const maxLogLines = 1000;

let folder = '';
let logLines = 0;

const bridge: LuaBridge = {
  call(call) {
    Atomics.store(ring, 0, 0);
    post({ type: 'call', ...call });
    Atomics.wait(ring, 0, 0);
    // The bell rings after the answer was sent, and only this thread reads the port.
    const answer = receiveMessageOnPort(answers)?.message as HostAnswer;
    if ('error' in answer) throw new LuaRaise(answer.error);
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

// The next machine is made while nobody waits for it.
let next: LuaMachine | undefined = prepare();

parentPort?.on('message', (job: RunMessage) => {
  const machine = next ?? prepare();
  next = undefined;
  logLines = 0;
  folder = dirname(job.file);
  post(run(machine, job));
  next = prepare();
});

function run(machine: LuaMachine, job: RunMessage): ThreadMessage {
  try {
    openTable(machine, job.table);
    const value = runScript(machine, job, {
      memoryBytes,
      pushContext: (L) => pushContext(machine, bridge, L),
    });
    return { type: 'result', value };
  } catch (error) {
    if (error instanceof ScriptFailure) return { type: 'failed', message: error.message };
    throw error;
  }
}

function prepare(): LuaMachine {
  const machine = createLuaMachine(module, { memoryBytes });
  openLibraries(machine, bridge, () => scriptFiles(folder));
  return machine;
}

function post(message: ThreadMessage): void {
  parentPort?.postMessage(message);
}
