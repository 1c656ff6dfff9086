import { luaType } from '../sandbox/lua-api.ts';
import { type LuaMachine, LuaRaise } from '../sandbox/lua-machine.ts';
import type { HttpRequest, HttpResponse } from '../sandbox/lua-messages.ts';
import { argumentLimits, headerLimits, pushValue, readValue, textArgument, urlBytes } from '../sandbox/lua-values.ts';
import { parseText } from './host-data.ts';

/** Reads the arguments of an http function: `(url, { headers, body, json, timeout })`. */
export function readRequest(machine: LuaMachine, L: number, method: HttpRequest['method'], name: string): HttpRequest {
  const { api } = machine;
  const request: HttpRequest = { method, url: textArgument(machine, L, 1, { name, maxBytes: urlBytes }), headers: {} };
  if (api.lua_type(L, 2) <= luaType.nil) return request;
  if (api.lua_type(L, 2) !== luaType.table) throw new LuaRaise(`${name}: the options must be a table`);
  // The body is read as bytes; the other options are JSON data.
  machine.pushText(L, 'body');
  api.lua_rawget(L, 2);
  if (api.lua_type(L, -1) === luaType.string) {
    checkSize(machine.sizeAt(L, -1), name);
    request.body = machine.bytesAt(L, -1);
  } else if (api.lua_type(L, -1) !== luaType.nil) throw new LuaRaise(`${name}: options.body must be a string`);
  api.lua_settop(L, -2);
  for (const key of ['headers', 'json', 'timeout'] as const) {
    machine.pushText(L, key);
    api.lua_rawget(L, 2);
    if (api.lua_type(L, -1) !== luaType.nil) {
      const limits = key === 'json' ? argumentLimits : headerLimits;
      setOption(request, key, readValue(machine, L, -1, { name: `options.${key}`, limits }), name);
    }
    api.lua_settop(L, -2);
  }
  return request;
}

function setOption(request: HttpRequest, key: 'headers' | 'json' | 'timeout', value: unknown, name: string): void {
  if (key === 'json') {
    if (request.body) throw new LuaRaise(`${name}: use options.body or options.json, not both`);
    request.body = Buffer.from(JSON.stringify(value));
    checkSize(request.body.length, name);
    request.headers = { 'content-type': 'application/json', ...request.headers };
    return;
  }
  if (key === 'timeout') {
    if (typeof value !== 'number' || value <= 0) throw new LuaRaise(`${name}: options.timeout is a number of seconds`);
    request.timeoutMs = value * 1000;
    return;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new LuaRaise(`${name}: options.headers must be a table of names and values`);
  for (const [header, text] of Object.entries(value)) {
    if (typeof text !== 'string' && typeof text !== 'number') {
      throw new LuaRaise(`${name}: options.headers["${header}"] must be a string`);
    }
    request.headers[header.toLowerCase()] = String(text);
  }
}

function checkSize(bytes: number, name: string): void {
  if (bytes > argumentLimits.maxTextBytes) throw new LuaRaise(`${name}: the body has more than 10 MB`);
}

/** Pushes `{ status, headers, body, json }`. `json` is set if the content type is JSON. */
export function pushResponse(machine: LuaMachine, L: number, response: HttpResponse): void {
  const { status, headers, body } = response;
  pushValue(machine, L, { status, headers, body });
  if (!/^application\/(?:[\w.+-]+\+)?json\b/i.test(headers['content-type'] ?? '')) return;
  let value: unknown;
  try {
    value = parseText(Buffer.from(body).toString());
  } catch (error) {
    // The content type is wrong. The script can still read the body as text.
    if (error instanceof LuaRaise) return;
    throw error;
  }
  machine.pushText(L, 'json');
  pushValue(machine, L, value, { keepNull: true });
  machine.api.lua_rawset(L, -3);
}
