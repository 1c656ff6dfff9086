import { type LuaApi, luaFirstUpvalue, luaGlobals, luaRegistry } from './lua-api.ts';

/** A function that scripts can call. It takes its arguments from the stack, pushes its results and says how many. */
export type LuaFunction = (L: number) => number;

/** Raised by a host function: a Lua error with this message and the caller's line, which pcall can catch. */
export class LuaRaise extends Error {}

/**
 * One Lua state in a WebAssembly instance of its own. After a job it is set back to the bytes it was sealed with, or dropped,
 * so nothing outlives a script.
 */
export interface LuaMachine {
  api: LuaApi;
  /** The main state. */
  L: number;
  pushFunction(L: number, run: LuaFunction): void;
  pushText(L: number, text: string): void;
  pushBytes(L: number, bytes: Uint8Array): void;
  /** A copy of the bytes of the string at `index`, which must be a string. */
  bytesAt(L: number, index: number): Buffer;
  /** Its first `maxBytes`; bytes that are not UTF-8 become U+FFFD. */
  textAt(L: number, index: number, maxBytes?: number): string;
  /** Bytes of the string at `index`. */
  sizeAt(L: number, index: number): number;
  /** Runs with Lua's errors caught, on a stack of its own that holds the value on top when `takesTop`: 0, or Lua's status with the error value on top. */
  protect(run: LuaFunction, takesTop?: boolean): number;
  /** Sets `name` in the table at the top of the stack. */
  setFunction(L: number, name: string, run: LuaFunction): void;
  /** A C string that lives until the machine is set back. */
  constant(text: string): number;
  /** Keeps the state of now, libraries opened and nothing run. */
  seal(): void;
  /** Back to the sealed state, all of it: memory, stack and functions. False when the memory grew so far that a new machine is the better one. */
  reset(): boolean;
  /** What it has taken from the system. */
  memoryBytes(): number;
}

const scratchSize = 65_536;
const pageSize = 65_536;
/** Memory never shrinks; clearing more than this costs as much as a new machine. */
const maxReusedBytes = 8 * 1024 * 1024;

export function createLuaMachine(module: WebAssembly.Module, options: { memoryBytes: number }): LuaMachine {
  let api: LuaApi;
  const functions: LuaFunction[] = [];
  let sealed: { memory: Uint8Array; stack: number; functions: number } | undefined;

  const imports = refuseAll(module);
  Object.assign(imports.env ?? {}, {
    abort: () => {
      throw new Error('Lua gave up.');
    },
    // Lua's errors are C's longjmp: a thrown Infinity, caught here at the border of each protected call.
    invoke_vii: (fn: number, a: number, b: number) => {
      const stack = api.stackSave();
      try {
        api.__indirect_function_table.get(fn)(a, b);
      } catch (error) {
        api.stackRestore(stack);
        if (error !== Number.POSITIVE_INFINITY) throw error;
        api.setThrew(1, 0);
      }
    },
    _emscripten_throw_longjmp: () => {
      throw Number.POSITIVE_INFINITY;
    },
    emscripten_date_now: () => Date.now(),
    _emscripten_get_now_is_monotonic: () => 1,
    // The memory cap: Lua's own allocator asks for more here, and a refusal is its "not enough memory".
    emscripten_resize_heap: (wanted: number) => growTo(api.memory, wanted >>> 0, options.memoryBytes),
  });
  // The names of the exports are those of Lua's C interface; `LuaApi` lists the ones that are called.
  api = new WebAssembly.Instance(module, imports).exports as unknown as LuaApi;
  api.emscripten_stack_init();
  api.__wasm_call_ctors();

  const scratch = api.malloc(scratchSize);
  const lengthPointer = api.malloc(4);
  const dispatcher = addFunction(api, (L) => {
    const run = functions[api.lua_tonumberx(L, luaFirstUpvalue, 0)];
    if (!run) throw new Error('A host function is missing.');
    try {
      return run(L);
    } catch (error) {
      if (!(error instanceof LuaRaise)) throw error;
      api.luaL_where(L, 1);
      machine.pushText(L, error.message);
      api.lua_concat(L, 2);
      return api.lua_error(L);
    }
  });

  const machine: LuaMachine = {
    api,
    L: api.luaL_newstate(),
    pushFunction(L, run) {
      functions.push(run);
      api.lua_pushinteger(L, BigInt(functions.length - 1));
      api.lua_pushcclosure(L, dispatcher, 1);
    },
    pushText(L, text) {
      // Three bytes are the most that one UTF-16 unit can need.
      if (text.length * 3 <= scratchSize) {
        api.lua_pushlstring(L, scratch, Buffer.from(api.memory.buffer, scratch, scratchSize).write(text));
      } else {
        machine.pushBytes(L, Buffer.from(text));
      }
    },
    pushBytes(L, bytes) {
      const pointer = bytes.length <= scratchSize ? scratch : api.malloc(bytes.length);
      if (pointer === 0) throw new LuaRaise('not enough memory');
      new Uint8Array(api.memory.buffer, pointer, bytes.length).set(bytes);
      api.lua_pushlstring(L, pointer, bytes.length);
      if (pointer !== scratch) api.free(pointer);
    },
    bytesAt: (L, index) => Buffer.from(view(L, index)),
    textAt: (L, index, maxBytes) => view(L, index).subarray(0, maxBytes).toString(),
    sizeAt: (L, index) => view(L, index).length,
    protect(run, takesTop = false) {
      machine.pushFunction(machine.L, run);
      if (takesTop) api.lua_pushvalue(machine.L, -2);
      return api.lua_pcallk(machine.L, takesTop ? 1 : 0, 0, 0, 0, 0);
    },
    setFunction(L, name, run) {
      machine.pushText(L, name);
      machine.pushFunction(L, run);
      api.lua_rawset(L, -3);
    },
    constant(text) {
      const bytes = Buffer.from(`${text}\0`);
      const pointer = api.malloc(bytes.length);
      if (pointer === 0) throw new LuaRaise('not enough memory');
      new Uint8Array(api.memory.buffer, pointer, bytes.length).set(bytes);
      return pointer;
    },
    seal() {
      const memory = new Uint8Array(api.memory.buffer);
      sealed = {
        memory: memory.slice(0, memory.findLastIndex((byte) => byte !== 0) + 1),
        stack: api.stackSave(),
        functions: functions.length,
      };
    },
    reset() {
      if (!sealed || api.memory.buffer.byteLength > maxReusedBytes) return false;
      const memory = new Uint8Array(api.memory.buffer);
      memory.set(sealed.memory);
      memory.fill(0, sealed.memory.length);
      api.stackRestore(sealed.stack);
      functions.length = sealed.functions;
      return true;
    },
    memoryBytes: () => api.memory.buffer.byteLength,
  };
  return machine;

  function view(L: number, index: number): Buffer {
    const pointer = api.lua_tolstring(L, index, lengthPointer);
    const length = new Uint32Array(api.memory.buffer, lengthPointer, 1)[0] ?? 0;
    return Buffer.from(api.memory.buffer, pointer, length);
  }
}

/** Every import answers "not there": no files, no clock of the system, no commands. */
function refuseAll(module: WebAssembly.Module): Record<string, Record<string, () => number>> {
  const imports: Record<string, Record<string, () => number>> = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    imports[from] = { ...imports[from], [name]: () => -52 };
  }
  return imports;
}

function growTo(memory: WebAssembly.Memory, wanted: number, limit: number): number {
  const size = memory.buffer.byteLength;
  if (wanted > limit) return 0;
  const comfortable = Math.min(limit, Math.max(wanted, size * 1.25));
  try {
    memory.grow(Math.ceil((comfortable - size) / pageSize));
    return 1;
  } catch {
    return 0;
  }
}

/** Puts a JavaScript function among those that Lua can call; it must be a WebAssembly function, so a tiny module passes it on. */
function addFunction(api: LuaApi, run: LuaFunction): number {
  thunk ??= new WebAssembly.Module(
    // (module (type (func (param i32) (result i32))) (import "e" "f" (func (type 0))) (export "f" (func 0)))
    new Uint8Array([
      0, 97, 115, 109, 1, 0, 0, 0, 1, 6, 1, 96, 1, 127, 1, 127, 2, 7, 1, 1, 101, 1, 102, 0, 0, 7, 5, 1, 1, 102, 0, 0,
    ]),
  );
  const table = api.__indirect_function_table;
  const index = table.grow(1);
  table.set(index, new WebAssembly.Instance(thunk, { e: { f: run } }).exports.f);
  return index;
}

let thunk: WebAssembly.Module | undefined;

/** A global table of functions. */
export function library(machine: LuaMachine, name: string, functions: Record<string, LuaFunction>): void {
  machine.api.lua_createtable(machine.L, 0, 4);
  for (const [key, run] of Object.entries(functions)) machine.setFunction(machine.L, key, run);
  setGlobal(machine, name);
}

export function globalFunction(machine: LuaMachine, name: string, run: LuaFunction): void {
  machine.pushFunction(machine.L, run);
  setGlobal(machine, name);
}

/** Takes the value at the top. */
export function setGlobal(machine: LuaMachine, name: string): void {
  const { api, L } = machine;
  const value = api.lua_gettop(L);
  api.lua_rawgeti(L, luaRegistry, luaGlobals);
  machine.pushText(L, name);
  api.lua_pushvalue(L, value);
  api.lua_rawset(L, -3);
  api.lua_settop(L, value - 1);
}

export function getGlobal(machine: LuaMachine, name: string): void {
  machine.api.lua_rawgeti(machine.L, luaRegistry, luaGlobals);
  machine.pushText(machine.L, name);
  machine.api.lua_rawget(machine.L, -2);
}
