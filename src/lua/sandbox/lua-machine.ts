import { type LuaApi, luaFirstUpvalue, luaGlobals, luaRegistry } from './lua-api.ts';

/** A function that scripts can call. It reads its arguments from the stack, pushes its results and returns their number. */
export type LuaFunction = (L: number) => number;

/** Thrown by a host function to raise a Lua error with this message and the caller's line. */
export class LuaRaise extends Error {}

/**
 * One Lua state in its own WebAssembly instance. After each job it is reset to its sealed memory or dropped, so that nothing
 * outlives a script.
 */
export interface LuaMachine {
  api: LuaApi;
  /** The main state. */
  L: number;
  pushFunction(L: number, run: LuaFunction): void;
  pushText(L: number, text: string): void;
  pushBytes(L: number, bytes: Uint8Array): void;
  /** Copies the bytes of the string at `index`. */
  bytesAt(L: number, index: number): Buffer;
  /** Returns the first `maxBytes` of the string at `index`. Invalid UTF-8 becomes U+FFFD. */
  textAt(L: number, index: number, maxBytes?: number): string;
  /** Returns the size in bytes of the string at `index`. */
  sizeAt(L: number, index: number): number;
  /** Runs a function and catches Lua errors. With `takesTop`, passes it the value at the top. Returns 0, or Lua's status with the error on the stack. */
  protect(run: LuaFunction, takesTop?: boolean): number;
  /** Sets `name` in the table at the top of the stack. */
  setFunction(L: number, name: string, run: LuaFunction): void;
  /** Allocates a C string that lives until the machine is reset. */
  constant(text: string): number;
  /** Saves the current state, with libraries opened and no script run. */
  seal(): void;
  /** Restores the sealed memory, stack and functions. Returns false if the memory grew so much that a new machine is cheaper. */
  reset(): boolean;
  /** Returns the memory that the machine has allocated. */
  memoryBytes(): number;
  /** Sets the memory limit for the next job. */
  limitMemory(bytes: number): void;
}

const scratchSize = 65_536;
const pageSize = 65_536;
/** Memory never shrinks. Above this size, clearing it costs as much as a new machine. */
const maxReusedBytes = 8 * 1024 * 1024;

export function createLuaMachine(module: WebAssembly.Module, options: { memoryBytes: number }): LuaMachine {
  let { memoryBytes } = options;
  let api: LuaApi;
  const functions: LuaFunction[] = [];
  let sealed: { memory: Uint8Array; stack: number; functions: number } | undefined;

  const imports = refuseAll(module);
  Object.assign(imports.env ?? {}, {
    abort: () => {
      throw new Error('Lua gave up.');
    },
    // Lua errors are C longjmps. Here they are a thrown Infinity, which each protected call catches.
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
    // Enforces the memory limit: a refusal makes Lua raise "not enough memory".
    emscripten_resize_heap: (wanted: number) => growTo(api.memory, wanted >>> 0, memoryBytes),
  });
  // The exports have the names of Lua's C API. `LuaApi` lists those in use.
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
      // A UTF-16 unit takes at most three bytes.
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
    limitMemory(bytes) {
      memoryBytes = bytes;
    },
  };
  return machine;

  function view(L: number, index: number): Buffer {
    const pointer = api.lua_tolstring(L, index, lengthPointer);
    const length = new Uint32Array(api.memory.buffer, lengthPointer, 1)[0] ?? 0;
    return Buffer.from(api.memory.buffer, pointer, length);
  }
}

/** Makes every import fail as "not implemented": no files, no system clock, no commands. */
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

/** Makes a JavaScript function callable from Lua. A tiny module wraps it, because the table accepts only WebAssembly functions. */
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

/** Defines a global table of functions. */
export function library(machine: LuaMachine, name: string, functions: Record<string, LuaFunction>): void {
  machine.api.lua_createtable(machine.L, 0, 4);
  for (const [key, run] of Object.entries(functions)) machine.setFunction(machine.L, key, run);
  setGlobal(machine, name);
}

export function globalFunction(machine: LuaMachine, name: string, run: LuaFunction): void {
  machine.pushFunction(machine.L, run);
  setGlobal(machine, name);
}

/** Pops the value at the top and assigns it to a global. */
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
