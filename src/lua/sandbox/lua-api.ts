/** The part of Lua's C API that the sandbox calls. States, pointers and indexes are plain numbers. */
export interface LuaApi {
  memory: WebAssembly.Memory;
  __indirect_function_table: WebAssembly.Table;
  __wasm_call_ctors(): void;
  emscripten_stack_init(): void;
  stackSave(): number;
  stackRestore(pointer: number): void;
  setThrew(threw: number, value: number): void;
  malloc(size: number): number;
  free(pointer: number): void;

  luaL_newstate(): number;
  /** Each leaves its table on the stack. */
  luaopen_base(L: number): void;
  luaopen_coroutine(L: number): void;
  luaopen_table(L: number): void;
  luaopen_string(L: number): void;
  luaopen_utf8(L: number): void;
  luaopen_math(L: number): void;

  luaL_loadbufferx(L: number, text: number, size: number, name: number, mode: number): number;
  lua_callk(L: number, args: number, results: number, context: number, continuation: number): void;
  lua_pcallk(L: number, args: number, results: number, handler: number, context: number, continuation: number): number;
  lua_error(L: number): never;
  luaL_where(L: number, level: number): void;
  luaL_tolstring(L: number, index: number, length: number): number;

  lua_gettop(L: number): number;
  lua_settop(L: number, index: number): void;
  lua_absindex(L: number, index: number): number;
  lua_checkstack(L: number, slots: number): number;
  lua_pushvalue(L: number, index: number): void;
  lua_concat(L: number, count: number): void;

  lua_pushnil(L: number): void;
  lua_pushboolean(L: number, value: number): void;
  lua_pushinteger(L: number, value: bigint): void;
  lua_pushnumber(L: number, value: number): void;
  lua_pushlstring(L: number, text: number, size: number): number;
  lua_pushlightuserdata(L: number, pointer: number): void;
  lua_pushcclosure(L: number, fn: number, upvalues: number): void;

  lua_type(L: number, index: number): number;
  /** Also true for strings that Lua converts to numbers. */
  lua_isnumber(L: number, index: number): number;
  lua_isinteger(L: number, index: number): number;
  lua_toboolean(L: number, index: number): number;
  lua_tonumberx(L: number, index: number, isNumber: number): number;
  lua_tointegerx(L: number, index: number, isInteger: number): bigint;
  lua_tolstring(L: number, index: number, length: number): number;
  lua_rawlen(L: number, index: number): bigint;
  lua_topointer(L: number, index: number): number;
  lua_touserdata(L: number, index: number): number;
  lua_rawequal(L: number, first: number, second: number): number;

  lua_createtable(L: number, listSize: number, recordSize: number): void;
  lua_next(L: number, index: number): number;
  lua_rawget(L: number, index: number): number;
  lua_rawgeti(L: number, index: number, key: bigint): number;
  lua_rawset(L: number, index: number): void;
  lua_rawseti(L: number, index: number, key: bigint): void;
  lua_rawgetp(L: number, index: number, key: number): number;
  lua_rawsetp(L: number, index: number, key: number): void;
  lua_getmetatable(L: number, index: number): number;
  lua_setmetatable(L: number, index: number): void;
  luaL_getmetafield(L: number, index: number, name: number): number;
}

export const luaType = {
  nil: 0,
  boolean: 1,
  lightUserdata: 2,
  number: 3,
  string: 4,
  table: 5,
  function: 6,
  userdata: 7,
  thread: 8,
} as const;

export const luaTypeNames = [
  'nil',
  'a boolean',
  'a userdata',
  'a number',
  'a string',
  'a table',
  'a function',
  'a userdata',
  'a coroutine',
];

/** The status of a protected call that ran out of memory. */
export const luaOutOfMemory = 4;

export const luaRegistry = -1_001_000;
/** The first upvalue of a C function. */
export const luaFirstUpvalue = luaRegistry - 1;
/** The registry index of the table of globals. */
export const luaGlobals = 2n;
