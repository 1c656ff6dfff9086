import { isUtf8 } from 'node:buffer';
import { readInside } from '../host/host-files.ts';
import { luaGlobals, luaOutOfMemory, luaRegistry, luaType, luaTypeNames } from './lua-api.ts';
import { functionsKey, type LuaItem } from './lua-job.ts';
import { type LuaMachine, LuaRaise, setGlobal } from './lua-machine.ts';
import type { RunMessage } from './lua-messages.ts';
import { megabytes, pushValue, readValue } from './lua-values.ts';
import { sendList } from './send-list.ts';

const maxScriptBytes = 1024 * 1024;
const maxFunctions = 1000;
const maxNameBytes = 1000;

export interface RunOptions {
  /** Pushes a table with `search`, `get` and `sources`. */
  pushContext(L: number): void;
  /** Sends items of a returned list to the main thread. Returns when they have been taken. */
  sendItems(items: readonly LuaItem[]): void;
  warn(message: string): void;
}

/** The error of a script, with a message for its author. */
export class ScriptFailure extends Error {
  /** Whether the machine trapped and cannot be used again. */
  readonly isMachineBroken: boolean;

  constructor(message: string, isMachineBroken = false) {
    super(message);
    this.isMachineBroken = isMachineBroken;
  }
}

/** Loads a script, calls its function and returns the result. Throws ScriptFailure. */
export function runScript(machine: LuaMachine, job: RunMessage, options: RunOptions): unknown {
  const script = readScript(job);
  const chunk = chunkName(job.shown);
  let result: unknown;
  let message = '';
  try {
    const status = machine.protect((L) => {
      loadScript(machine, L, script, chunk);
      pushTable(machine, L, job);
      result = job.call ? callFunction(machine, L, job, options) : readMetadata(machine, L, job.table);
      return 0;
    });
    if (status === 0) return result;
    message = status === luaOutOfMemory ? 'not enough memory' : describeError(machine);
  } catch (error) {
    throw brokenMachine(error, job);
  }
  if (/(^|: )not enough memory$/.test(message)) throw tooMuchMemory(job);
  throw new ScriptFailure(withPosition(message, job.shown, chunk));
}

function readScript(job: RunMessage): Uint8Array {
  let bytes: Buffer;
  try {
    bytes = job.text === undefined ? readInside({ file: job.file, maxBytes: maxScriptBytes }) : Buffer.from(job.text);
  } catch (error) {
    if (error instanceof LuaRaise) throw new ScriptFailure(`${job.shown} ${error.message}.`);
    throw error;
  }
  if (bytes.length > maxScriptBytes) {
    throw new ScriptFailure(`${job.shown} is larger than ${megabytes(maxScriptBytes)}.`);
  }
  if (bytes[0] === 0x1b) {
    throw new ScriptFailure(`${job.shown} is compiled Lua. Only source text is allowed.`);
  }
  if (!isUtf8(bytes)) throw new ScriptFailure(`${job.shown} is not UTF-8 text. Save it as UTF-8.`);
  if (bytes.subarray(0, 3).equals(Buffer.from('\uFEFF'))) bytes = bytes.subarray(3);
  // Skips a shebang line, like the lua command.
  if (bytes[0] === 0x23) {
    const end = bytes.indexOf(0x0a);
    bytes = end === -1 ? bytes.subarray(bytes.length) : bytes.subarray(end);
  }
  return bytes;
}

function loadScript(machine: LuaMachine, L: number, script: Uint8Array, chunk: string): void {
  const { api } = machine;
  const pointer = api.malloc(script.length + 1);
  if (pointer === 0) throw new LuaRaise('not enough memory');
  new Uint8Array(api.memory.buffer, pointer, script.length).set(script);
  const status = api.luaL_loadbufferx(L, pointer, script.length, machine.constant(`@${chunk}`), machine.constant('t'));
  api.free(pointer);
  if (status !== 0) api.lua_error(L);
  api.lua_callk(L, 0, 1, 0, 0);
}

/** Pushes the script's table: the returned one, or else the global one. */
function pushTable(machine: LuaMachine, L: number, job: RunMessage): void {
  const { api } = machine;
  if (api.lua_type(L, -1) === luaType.table) return;
  if (api.lua_type(L, -1) !== luaType.nil) {
    throw new LuaRaise(
      `the script returned ${luaTypeNames[api.lua_type(L, -1)]}; it must return the table "${job.table}" or fill the global one`,
    );
  }
  api.lua_rawgeti(L, luaRegistry, luaGlobals);
  machine.pushText(L, job.table);
  api.lua_rawget(L, -2);
  if (api.lua_type(L, -1) !== luaType.table) {
    throw new LuaRaise(`"${job.table}" is ${luaTypeNames[api.lua_type(L, -1)]}; it must be a table`);
  }
}

function callFunction(machine: LuaMachine, L: number, job: RunMessage, options: RunOptions): unknown {
  const { api } = machine;
  const { table, call = { name: '', args: [] }, isList } = job;
  machine.pushText(L, call.name);
  api.lua_rawget(L, -2);
  const type = api.lua_type(L, -1);
  if (type !== luaType.function) {
    throw new LuaRaise(`the script has no function ${table}.${call.name}; it is ${luaTypeNames[type]}`);
  }
  for (const argument of call.args) {
    if ('data' in argument) pushValue(machine, L, argument.data);
    else {
      options.pushContext(L);
      for (const [key, value] of Object.entries(argument.context)) {
        if (value === null || value === undefined) continue;
        machine.pushText(L, key);
        pushValue(machine, L, value);
        api.lua_rawset(L, -3);
      }
      // Helpers of a script, outside its function, use the global.
      api.lua_pushvalue(L, -1);
      setGlobal(machine, 'context');
    }
  }
  api.lua_callk(L, call.args.length, 1, 0, 0);
  if (isList) return sendList(machine, L, { name: `${table}.${call.name}`, send: options.sendItems });
  const name = `the result of ${table}.${call.name}`;
  // The result of a tool is any value; the others have a shape of their own, and an odd value is a mistake.
  return readValue(machine, L, -1, { name, ...(table === 'tool' && { onLoss: options.warn }) });
}

function readMetadata(machine: LuaMachine, L: number, table: string): unknown {
  const { api } = machine;
  const functions: string[] = [];
  const index = api.lua_gettop(L);
  api.lua_pushnil(L);
  while (api.lua_next(L, index) !== 0) {
    if (api.lua_type(L, -2) === luaType.string && api.lua_type(L, -1) === luaType.function) {
      functions.push(machine.textAt(L, -2, maxNameBytes));
      if (functions.length > maxFunctions) throw new LuaRaise(`"${table}" has more than ${maxFunctions} functions`);
    }
    api.lua_settop(L, -2);
  }
  const metadata = readValue(machine, L, index, { name: table, skipFunctions: true });
  if (Array.isArray(metadata)) throw new LuaRaise(`"${table}" is a list; it must be a table with named fields`);
  return { ...(metadata as object), [functionsKey]: functions.sort() };
}

/** Describes the error value at the top of the stack. Runs protected, because this may call the script's own code. */
function describeError(machine: LuaMachine): string {
  let text = '';
  const status = machine.protect((L) => {
    text = errorText(machine, L);
    return 0;
  }, true);
  return status === 0 ? text : 'the script failed with an error that cannot be shown';
}

function errorText(machine: LuaMachine, L: number): string {
  const { api } = machine;
  const type = api.lua_type(L, -1);
  if (type === luaType.nil) return 'the script failed without a message: error(nil)';
  if (type === luaType.table) {
    machine.pushText(L, 'message');
    api.lua_rawget(L, -2);
    if (api.lua_type(L, -1) === luaType.string) return machine.textAt(L, -1, maxErrorBytes);
    api.lua_settop(L, -2);
    if (api.luaL_getmetafield(L, -1, machine.constant('__tostring')) === luaType.nil) {
      return JSON.stringify(readValue(machine, L, -1, { name: 'the error' })).slice(0, maxErrorBytes);
    }
    api.lua_settop(L, -2);
  }
  if (type === luaType.function || type === luaType.thread || type === luaType.userdata) {
    return `the script failed with ${luaTypeNames[type]} as its error`;
  }
  api.luaL_tolstring(L, -1, 0);
  return machine.textAt(L, -1, maxErrorBytes);
}

const maxMessage = 4000;
const maxErrorBytes = 65_536;

/** Shortens the name to 59 bytes, because Lua itself would cut it in the middle of a character. */
function chunkName(shown: string): string {
  const name = shown.replaceAll(/[\r\n\0]/g, ' ');
  if (Buffer.byteLength(name) <= 59) return name;
  let tail = [...name].slice(-56);
  while (Buffer.byteLength(tail.join('')) > 56) tail = tail.slice(1);
  return `...${tail.join('')}`;
}

function withPosition(message: string, shown: string, chunk: string): string {
  // Removes repeated positions, because each coroutine.wrap adds one.
  const [, position = ''] = /^(.*?:\d+: )\1/s.exec(message) ?? [];
  let start = 0;
  while (position !== '' && message.startsWith(position, start + position.length)) start += position.length;
  const text = message.slice(start, start + maxMessage);
  if (text.startsWith(`${chunk}:`)) return shown + text.slice(chunk.length);
  return `${shown}: ${text}`;
}

function tooMuchMemory(job: RunMessage): ScriptFailure {
  return new ScriptFailure(
    `${job.shown} used more than ${megabytes(job.memoryBytes)} of memory and was stopped; build smaller strings and tables.`,
  );
}

/** Describes a trap of the virtual machine: recursion that exceeds its stack. The machine cannot be used again. */
function brokenMachine(error: unknown, job: RunMessage): unknown {
  if (error instanceof RangeError || error instanceof WebAssembly.RuntimeError) {
    return new ScriptFailure(`${job.shown}: stack overflow: its calls are nested too deeply.`, true);
  }
  return error;
}
