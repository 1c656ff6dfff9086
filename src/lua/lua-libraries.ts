import { createHash, createHmac } from 'node:crypto';
import { HubError } from '../base/hub-error.ts';
import { parseJson } from '../base/json.ts';
import type { ScriptFiles } from './host-files.ts';
import { luaGlobals, luaRegistry, luaType, luaTypeNames } from './lua-api.ts';
import type { LuaJob } from './lua-job.ts';
import { type LuaFunction, type LuaMachine, LuaRaise } from './lua-machine.ts';
import { type HostCall, type HttpRequest, type HttpResponse, type LogLevel, logLevels } from './lua-messages.ts';
import { type LuaLimits, prepareValues, pushValue, readValue } from './lua-values.ts';

/** How a thread reaches what it cannot do by itself. */
export interface LuaBridge {
  /** Waits for the main thread's answer. Throws LuaRaise with the hub's sentence. */
  call(call: HostCall): unknown;
  log(level: LogLevel, message: string): void;
  sleep(milliseconds: number): void;
}

const jsonLimits: LuaLimits = { maxDepth: 64, maxNodes: 200_000, maxTextBytes: 10 * 1024 * 1024 };

/** What the base library brings along and a script must not have: files, code made at run time, the collector. */
const removed = ['dofile', 'loadfile', 'load', 'loadstring', 'require', 'package', 'collectgarbage'];

/** Opens the libraries of CONTRACTS §3 and nothing else. The bridge and the files belong to the job and are asked for when they are used. */
export function openLibraries(machine: LuaMachine, bridge: LuaBridge, files: () => ScriptFiles): void {
  prepareValues(machine);
  openStandard(machine);
  openJson(machine);
  openText(machine);
  openHost(machine, bridge, files);
}

export function openTable(machine: LuaMachine, table: LuaJob['table']): void {
  const { api, L } = machine;
  api.lua_createtable(L, 0, 0);
  setGlobal(machine, table);
}

/** Pushes a table with `search`, `get` and `sources`. */
export function pushContext(machine: LuaMachine, bridge: LuaBridge, L: number): void {
  const { api } = machine;
  api.lua_createtable(L, 0, 8);
  machine.setFunction(L, 'search', (state) => {
    const query = readArgument(machine, state, 1, 'the query');
    const options = api.lua_gettop(state) >= 2 ? readArgument(machine, state, 2, 'the options') : undefined;
    pushValue(machine, state, bridge.call({ method: 'search', query, options: options ?? undefined }));
    return 1;
  });
  machine.setFunction(L, 'get', (state) => {
    pushValue(machine, state, bridge.call({ method: 'get', id: textArgument(machine, state, 1, 'context.get') }));
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
  // getmetatable("") answers this text instead of the table that all strings share.
  machine.pushText(L, '');
  api.lua_getmetatable(L, -1);
  machine.pushText(L, '__metatable');
  machine.pushText(L, 'string');
  api.lua_rawset(L, -3);
  api.lua_settop(L, 0);
}

function openJson(machine: LuaMachine): void {
  const { api, L } = machine;
  library(machine, 'json', {
    parse(state) {
      const text = textArgument(machine, state, 1, 'json.parse');
      pushValue(machine, state, parseText(text), { keepNull: true });
      return 1;
    },
    encode(state) {
      const value = readArgument(machine, state, 1, 'the value');
      machine.pushText(state, JSON.stringify(value));
      return 1;
    },
  });
  getGlobal(machine, 'json');
  machine.pushText(L, 'null');
  api.lua_pushlightuserdata(L, 0);
  api.lua_rawset(L, -3);
  api.lua_settop(L, 0);
}

function openText(machine: LuaMachine): void {
  const bytes = (state: number, index: number, name: string) => bytesArgument(machine, state, index, name);
  library(machine, 'base64', {
    encode(state) {
      machine.pushText(state, bytes(state, 1, 'base64.encode').toString('base64'));
      return 1;
    },
    decode(state) {
      const text = bytes(state, 1, 'base64.decode').toString('latin1').replaceAll(/\s/g, '');
      if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(text)) throw new LuaRaise('base64.decode: the text is not base64');
      machine.pushBytes(state, Buffer.from(text, 'base64'));
      return 1;
    },
  });
  library(machine, 'crypto', {
    sha256(state) {
      machine.pushText(
        state,
        createHash('sha256')
          .update(bytes(state, 1, 'crypto.sha256'))
          .digest('hex'),
      );
      return 1;
    },
    hmac_sha256(state) {
      const key = bytes(state, 1, 'crypto.hmac_sha256');
      machine.pushText(
        state,
        createHmac('sha256', key)
          .update(bytes(state, 2, 'crypto.hmac_sha256'))
          .digest('hex'),
      );
      return 1;
    },
  });
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
    const seconds = machine.api.lua_tonumberx(state, 1, 0);
    const isNumber = machine.api.lua_type(state, 1) === luaType.number;
    if (!isNumber || !(seconds >= 0)) throw new LuaRaise('sleep takes a number of seconds, 0 or more');
    bridge.sleep(seconds * 1000);
    return 0;
  });
  library(machine, 'env', {
    get(state) {
      pushValue(machine, state, bridge.call({ method: 'env', name: textArgument(machine, state, 1, 'env.get') }));
      return 1;
    },
  });
  library(machine, 'fs', {
    read(state) {
      machine.pushBytes(state, files().read(textArgument(machine, state, 1, 'fs.read')));
      return 1;
    },
    list(state) {
      const isGiven = machine.api.lua_type(state, 1) > luaType.nil;
      pushValue(machine, state, files().list(isGiven ? textArgument(machine, state, 1, 'fs.list') : '.'));
      return 1;
    },
  });
  const http = (method: HttpRequest['method']): LuaFunction => {
    return (state) => {
      const name = `http.${method.toLowerCase()}`;
      const request = httpRequest(machine, state, method, name);
      // The main thread answers http calls with this shape.
      const response = bridge.call({ method: 'http', request }) as HttpResponse;
      pushResponse(machine, state, response);
      return 1;
    };
  };
  library(machine, 'http', { get: http('GET'), post: http('POST'), put: http('PUT') });
}

function httpRequest(machine: LuaMachine, L: number, method: HttpRequest['method'], name: string): HttpRequest {
  const { api } = machine;
  const request: HttpRequest = { method, url: textArgument(machine, L, 1, name), headers: {} };
  if (api.lua_type(L, 2) <= luaType.nil) return request;
  if (api.lua_type(L, 2) !== luaType.table) throw new LuaRaise(`${name}: the options must be a table`);
  // The body is taken as bytes; everything else is data.
  machine.pushText(L, 'body');
  api.lua_rawget(L, 2);
  if (api.lua_type(L, -1) === luaType.string) request.body = machine.bytesAt(L, -1);
  else if (api.lua_type(L, -1) !== luaType.nil) throw new LuaRaise(`${name}: options.body must be a string`);
  api.lua_settop(L, -2);
  for (const key of ['headers', 'json', 'timeout'] as const) {
    machine.pushText(L, key);
    api.lua_rawget(L, 2);
    if (api.lua_type(L, -1) !== luaType.nil) {
      setOption(request, key, readValue(machine, L, -1, { name: `options.${key}`, limits: jsonLimits }), name);
    }
    api.lua_settop(L, -2);
  }
  return request;
}

function setOption(request: HttpRequest, key: 'headers' | 'json' | 'timeout', value: unknown, name: string): void {
  if (key === 'json') {
    if (request.body) throw new LuaRaise(`${name}: give options.body or options.json, not both`);
    request.body = Buffer.from(JSON.stringify(value));
    request.headers = { 'content-type': 'application/json', ...request.headers };
    return;
  }
  if (key === 'timeout') {
    if (typeof value !== 'number' || value <= 0) throw new LuaRaise(`${name}: options.timeout is a number of seconds`);
    request.timeoutMs = value * 1000;
    return;
  }
  if (typeof value !== 'object' || value === null) throw new LuaRaise(`${name}: options.headers must be a table`);
  for (const [header, text] of Object.entries(value)) {
    if (typeof text !== 'string' && typeof text !== 'number') {
      throw new LuaRaise(`${name}: options.headers["${header}"] must be a string`);
    }
    request.headers[header.toLowerCase()] = String(text);
  }
}

function pushResponse(machine: LuaMachine, L: number, response: HttpResponse): void {
  const { status, headers, body } = response;
  pushValue(machine, L, { status, headers, body });
  if (!/^application\/(?:[\w.+-]+\+)?json\b/i.test(headers['content-type'] ?? '')) return;
  let value: unknown;
  try {
    value = parseText(Buffer.from(body).toString());
  } catch (error) {
    // The body is there as text; a server that calls something JSON which is none is the script's business.
    if (error instanceof LuaRaise) return;
    throw error;
  }
  machine.pushText(L, 'json');
  pushValue(machine, L, value, { keepNull: true });
  machine.api.lua_rawset(L, -3);
}

function parseText(text: string): unknown {
  try {
    return parseJson(text, { maxCharacters: 10 * 1024 * 1024, maxDepth: 64, maxElements: 400_000 });
  } catch (error) {
    if (error instanceof HubError) throw new LuaRaise(error.message);
    throw error;
  }
}

/** The arguments as `print` shows them. */
function printed(machine: LuaMachine, L: number): string {
  const parts: string[] = [];
  for (let index = 1; index <= machine.api.lua_gettop(L) && parts.length < 100; index += 1) {
    machine.api.luaL_tolstring(L, index, 0);
    parts.push(machine.textAt(L, -1, 10_000));
    machine.api.lua_settop(L, -2);
  }
  return parts.join('\t');
}

function readArgument(machine: LuaMachine, L: number, index: number, name: string): unknown {
  return readValue(machine, L, index, { name, limits: jsonLimits });
}

function textArgument(machine: LuaMachine, L: number, index: number, name: string): string {
  requireText(machine, L, index, name);
  return machine.textAt(L, index);
}

function bytesArgument(machine: LuaMachine, L: number, index: number, name: string): Buffer {
  requireText(machine, L, index, name);
  return machine.bytesAt(L, index);
}

function requireText(machine: LuaMachine, L: number, index: number, name: string): void {
  const type = machine.api.lua_type(L, index);
  if (type === luaType.string) {
    if (machine.sizeAt(L, index) <= jsonLimits.maxTextBytes) return;
    throw new LuaRaise(`${name} takes at most 10 MB of text`);
  }
  throw new LuaRaise(`${name} takes a string as argument ${index}, not ${luaTypeNames[type] ?? 'nothing'}`);
}

function library(machine: LuaMachine, name: string, functions: Record<string, LuaFunction>): void {
  machine.api.lua_createtable(machine.L, 0, 4);
  for (const [key, run] of Object.entries(functions)) machine.setFunction(machine.L, key, run);
  setGlobal(machine, name);
}

function globalFunction(machine: LuaMachine, name: string, run: LuaFunction): void {
  machine.pushFunction(machine.L, run);
  setGlobal(machine, name);
}

/** Takes the value at the top. */
function setGlobal(machine: LuaMachine, name: string): void {
  const { api, L } = machine;
  const value = api.lua_gettop(L);
  api.lua_rawgeti(L, luaRegistry, luaGlobals);
  machine.pushText(L, name);
  api.lua_pushvalue(L, value);
  api.lua_rawset(L, -3);
  api.lua_settop(L, value - 1);
}

function getGlobal(machine: LuaMachine, name: string): void {
  machine.api.lua_rawgeti(machine.L, luaRegistry, luaGlobals);
  machine.pushText(machine.L, name);
  machine.api.lua_rawget(machine.L, -2);
}
