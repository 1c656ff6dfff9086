import { stringifyExact } from '../../base/json.ts';
import { luaType, luaTypeNames } from '../sandbox/lua-api.ts';
import { argumentLimits, headerLimits, textArgument, urlBytes } from '../sandbox/lua-arguments.ts';
import { type LuaMachine, LuaRaise } from '../sandbox/lua-machine.ts';
import type { HttpRequest, HttpResponse } from '../sandbox/lua-messages.ts';
import { pushValue, readValue } from '../sandbox/lua-values.ts';
import { parseText } from './host-data.ts';

const usualTimeoutMs = 30_000;

/** Reads the arguments of an http function: `(url, { headers, params, body, json, timeout })`, and for POST and PUT also `(url, body, options)`. */
export function readRequest(machine: LuaMachine, L: number, method: HttpRequest['method'], name: string): HttpRequest {
  const { api } = machine;
  const request: HttpRequest = {
    method,
    url: textArgument(machine, L, 1, { name, maxBytes: urlBytes }),
    headers: {},
    timeoutMs: usualTimeoutMs,
  };
  const options = method === 'GET' ? 2 : readBody(machine, L, request, name);
  if (api.lua_type(L, options) <= luaType.nil) return request;
  if (api.lua_type(L, options) !== luaType.table) throw new LuaRaise(`${name}: the options must be a table`);
  // The body is read as bytes; the other options are JSON data.
  machine.pushText(L, 'body');
  api.lua_rawget(L, options);
  if (api.lua_type(L, -1) === luaType.string) {
    if (request.body) throw new LuaRaise(`${name}: the body is given twice, as an argument and in the options`);
    checkSize(machine.sizeAt(L, -1), name);
    request.body = machine.bytesAt(L, -1);
  } else if (api.lua_type(L, -1) !== luaType.nil) throw new LuaRaise(`${name}: options.body must be a string`);
  api.lua_settop(L, -2);
  for (const key of ['headers', 'params', 'json', 'timeout'] as const) {
    machine.pushText(L, key);
    api.lua_rawget(L, options);
    if (api.lua_type(L, -1) !== luaType.nil) {
      const limits = key === 'json' ? argumentLimits : headerLimits;
      setOption(request, key, readValue(machine, L, -1, { name: `options.${key}`, limits }), name);
    }
    api.lua_settop(L, -2);
  }
  return request;
}

/** Reads the second argument of POST and PUT: the body, or already the options. Returns the index of the options. */
function readBody(machine: LuaMachine, L: number, request: HttpRequest, name: string): 2 | 3 {
  const { api } = machine;
  const type = api.lua_type(L, 2);
  const hasOptions = api.lua_type(L, 3) > luaType.nil;
  if (type === luaType.table && !hasOptions) return 2;
  if (type === luaType.string || type === luaType.number) {
    checkSize(machine.sizeAt(L, 2), name);
    request.body = machine.bytesAt(L, 2);
  } else if (type > luaType.nil) {
    throw new LuaRaise(`${name}: the body is ${luaTypeNames[type]}; it must be a string, such as json.encode(body)`);
  }
  return 3;
}

function setOption(
  request: HttpRequest,
  key: 'headers' | 'params' | 'json' | 'timeout',
  value: unknown,
  name: string,
): void {
  if (key === 'json') {
    if (request.body) throw new LuaRaise(`${name}: use a body or options.json, not both`);
    request.body = Buffer.from(stringifyExact(value));
    checkSize(request.body.length, name);
    request.headers = { 'content-type': 'application/json', ...request.headers };
    return;
  }
  if (key === 'timeout') {
    const seconds = Number(value);
    if (!(seconds > 0)) throw new LuaRaise(`${name}: options.timeout is a number of seconds`);
    request.timeoutMs = seconds * 1000;
    return;
  }
  const texts = textsOf(value, `${name}: options.${key}`);
  if (key === 'params') request.url = withParams(request.url, texts);
  else for (const [header, text] of texts) request.headers[header.toLowerCase()] = text;
}

function textsOf(value: unknown, name: string): [string, string][] {
  if (typeof value !== 'object' || value === null || (Array.isArray(value) && value.length > 0)) {
    throw new LuaRaise(`${name} must be a table of names and values`);
  }
  return Object.entries(value).map(([key, text]) => {
    if (['string', 'number', 'boolean'].includes(typeof text)) return [key, String(text)];
    throw new LuaRaise(`${name}["${key.slice(0, 100)}"] must be a string`);
  });
}

/** Adds parameters to the query of an address, before its fragment. */
function withParams(url: string, params: [string, string][]): string {
  if (params.length === 0) return url;
  const [address = '', ...fragment] = url.split('#');
  const separator = address.includes('?') ? (/[?&]$/.test(address) ? '' : '&') : '?';
  return [`${address}${separator}${new URLSearchParams(params)}`, ...fragment].join('#');
}

function checkSize(bytes: number, name: string): void {
  if (bytes > argumentLimits.maxTextBytes) throw new LuaRaise(`${name}: the body has more than 10 MB`);
}

/** Pushes `{ status, ok, headers, body, json }`. `json` is set if the body is JSON, whatever its type says. */
export function pushResponse(
  machine: LuaMachine,
  L: number,
  response: HttpResponse,
  warn: (message: string) => void,
): void {
  const { status, headers, body } = response;
  pushValue(machine, L, { status, ok: status >= 200 && status < 300, headers, body });
  const value = jsonOf(response, warn);
  if (value === undefined || value === null) return;
  machine.pushText(L, 'json');
  pushValue(machine, L, value);
  machine.api.lua_rawset(L, -3);
}

function jsonOf({ body, headers }: HttpResponse, warn: (message: string) => void): unknown {
  // Most other replies begin with another character, and need not be parsed.
  if (!/^\s*(?:[[{"\dtfn-]|$)/.test(Buffer.from(body.subarray(0, 1_024)).toString('latin1'))) return undefined;
  try {
    return parseText(Buffer.from(body).toString());
  } catch (error) {
    if (!(error instanceof LuaRaise)) throw error;
    // The script can still read the body as text.
    if (isJsonType(headers['content-type'])) warn(`A reply has no json field: ${error.message}`);
    return undefined;
  }
}

function isJsonType(type = ''): boolean {
  return /^application\/(?:[\w.+-]+\+)?json\b/i.test(type);
}
