import { openJson, openText } from '../host/host-data.ts';
import type { ScriptFiles } from '../host/host-files.ts';
import { pushResponse, readRequest } from '../host/host-http-function.ts';
import { luaType } from './lua-api.ts';
import { nameBytes, readArgument, searchLimits, textArgument } from './lua-arguments.ts';
import type { LuaJob } from './lua-job.ts';
import {
  getGlobal,
  globalFunction,
  type LuaFunction,
  type LuaMachine,
  LuaRaise,
  library,
  setGlobal,
} from './lua-machine.ts';
import { type HostCall, type HttpRequest, type HttpResponse, type LogLevel, logLevels } from './lua-messages.ts';
import { prepareValues, pushValue } from './lua-values.ts';

/** How a thread calls the main thread. */
export interface LuaBridge {
  /** Waits for the main thread's reply. Throws LuaRaise with its error message. */
  call(call: HostCall): unknown;
  log(level: LogLevel, message: string): void;
  sleep(milliseconds: number): void;
}

/** Functions of the base library that scripts must not have: files, code loading and garbage collection. */
const removed = ['dofile', 'loadfile', 'load', 'loadstring', 'require', 'package', 'collectgarbage'];

/**
 * Opens the safe standard libraries (no `os`, `io`, `debug`, `package` or `load`), JSON, text functions and host functions.
 * Bridge and files depend on the job, so they are looked up when a script uses them.
 */
export function openLibraries(machine: LuaMachine, bridge: LuaBridge, files: () => ScriptFiles): void {
  prepareValues(machine);
  openStandard(machine);
  openJson(machine, (message) => bridge.log('warn', message));
  openText(machine);
  openHost(machine, bridge, files);
}

/** Prepares a machine for a job: creates the table that the script fills, and seeds the random numbers. */
export function openJob(machine: LuaMachine, table: LuaJob['table']): void {
  const { api, L } = machine;
  api.lua_createtable(L, 0, 0);
  setGlobal(machine, table);
  // All machines start with the same memory, so without a seed all scripts would get the same random numbers.
  getGlobal(machine, 'math');
  machine.pushText(L, 'randomseed');
  api.lua_rawget(L, -2);
  for (const seed of crypto.getRandomValues(new BigInt64Array(2))) api.lua_pushinteger(L, seed);
  api.lua_callk(L, 2, 0, 0, 0);
  api.lua_settop(L, 0);
}

/** Pushes a table with `search`, `get` and `sources`. */
export function pushContext(machine: LuaMachine, bridge: LuaBridge, L: number): void {
  const { api } = machine;
  api.lua_createtable(L, 0, 8);
  machine.setFunction(L, 'search', (state) => {
    const limits = searchLimits;
    const query = readArgument(machine, state, 1, { name: 'the query', limits });
    const hasOptions = api.lua_gettop(state) >= 2;
    const options = hasOptions ? readArgument(machine, state, 2, { name: 'the options', limits }) : undefined;
    pushValue(machine, state, bridge.call({ method: 'search', query, options: options ?? undefined }));
    return 1;
  });
  machine.setFunction(L, 'get', (state) => {
    const id = nameArgument(machine, state, 'context.get');
    const hasOptions = api.lua_gettop(state) >= 2;
    const options = hasOptions
      ? readArgument(machine, state, 2, { name: 'the options', limits: searchLimits })
      : undefined;
    pushValue(machine, state, bridge.call({ method: 'get', id, options: options ?? undefined }));
    return 1;
  });
  machine.setFunction(L, 'sources', (state) => {
    pushValue(machine, state, bridge.call({ method: 'sources' }));
    return 1;
  });
}

function openStandard(machine: LuaMachine): void {
  const { api, L } = machine;
  api.luaopen_base(L);
  for (const name of removed) {
    machine.pushText(L, name);
    api.lua_pushnil(L);
    api.lua_rawset(L, -3);
  }
  api.lua_settop(L, 0);
  const libraries = ['coroutine', 'table', 'string', 'utf8', 'math'] as const;
  for (const name of libraries) {
    api[`luaopen_${name}`](L);
    if (name === 'string') {
      machine.pushText(L, 'dump');
      api.lua_pushnil(L);
      api.lua_rawset(L, -3);
    }
    setGlobal(machine, name);
  }
  // Makes getmetatable("") return this text instead of the shared table of all strings.
  machine.pushText(L, '');
  api.lua_getmetatable(L, -1);
  machine.pushText(L, '__metatable');
  machine.pushText(L, 'string');
  api.lua_rawset(L, -3);
  api.lua_settop(L, 0);
}

function openHost(machine: LuaMachine, bridge: LuaBridge, files: () => ScriptFiles): void {
  const log = (level: LogLevel): LuaFunction => {
    return (state) => {
      bridge.log(level, printed(machine, state));
      return 0;
    };
  };
  library(machine, 'log', Object.fromEntries(logLevels.map((level) => [level, log(level)])));
  globalFunction(machine, 'print', log('info'));
  globalFunction(machine, 'warn', log('warn'));
  globalFunction(machine, 'sleep', (state) => {
    const isNumber = machine.api.lua_isnumber(state, 1) !== 0;
    const seconds = machine.api.lua_tonumberx(state, 1, 0);
    if (!isNumber || !(seconds >= 0)) throw new LuaRaise('sleep takes a number of seconds, 0 or more');
    bridge.sleep(seconds * 1000);
    return 0;
  });
  library(machine, 'env', {
    get(state) {
      pushValue(machine, state, bridge.call({ method: 'env', name: nameArgument(machine, state, 'env.get') }));
      return 1;
    },
  });
  library(machine, 'fs', {
    read(state) {
      machine.pushBytes(state, files().read(nameArgument(machine, state, 'fs.read')));
      return 1;
    },
    list(state) {
      const hasPath = machine.api.lua_type(state, 1) > luaType.nil;
      const path = hasPath ? nameArgument(machine, state, 'fs.list') : '.';
      const hasGlob = machine.api.lua_type(state, 2) > luaType.nil;
      const glob = hasGlob ? textArgument(machine, state, 2, { name: 'fs.list', maxBytes: nameBytes }) : undefined;
      pushValue(machine, state, files().list(path, glob));
      return 1;
    },
  });
  const http = (method: HttpRequest['method']): LuaFunction => {
    return (state) => {
      const name = `http.${method.toLowerCase()}`;
      const request = readRequest(machine, state, method, name);
      // The main thread answers http calls with this shape.
      const response = bridge.call({ method: 'http', request }) as HttpResponse;
      pushResponse(machine, state, response, (message) => bridge.log('warn', message));
      return 1;
    };
  };
  library(machine, 'http', { get: http('GET'), post: http('POST'), put: http('PUT') });
}

function nameArgument(machine: LuaMachine, L: number, name: string): string {
  return textArgument(machine, L, 1, { name, maxBytes: nameBytes });
}

/** Formats the arguments like `print`. */
function printed(machine: LuaMachine, L: number): string {
  const parts: string[] = [];
  for (let index = 1; index <= machine.api.lua_gettop(L) && parts.length < 100; index += 1) {
    machine.api.luaL_tolstring(L, index, 0);
    parts.push(machine.textAt(L, -1, 10_000));
    machine.api.lua_settop(L, -2);
  }
  return parts.join('\t').slice(0, 10_000);
}
