import { luaType, luaTypeNames } from './lua-api.ts';
import { type LuaMachine, LuaRaise } from './lua-machine.ts';
import { type LuaLimits, type ReadOptions, readValue } from './lua-values.ts';

/** The limits of an argument of a host function. */
export const argumentLimits: LuaLimits = { maxDepth: 64, maxNodes: 200_000, maxTextBytes: 10 * 1024 * 1024 };

export function readArgument(
  machine: LuaMachine,
  L: number,
  index: number,
  { limits = argumentLimits, ...options }: ReadOptions,
): unknown {
  if (machine.api.lua_gettop(L) < index) throw new LuaRaise(`${options.name} is missing`);
  return readValue(machine, L, index, { ...options, limits });
}

/** Smaller limits for arguments that go to the main thread, to keep its work small. */
export const nameBytes = 4096;
export const urlBytes = 65_536;
export const searchLimits: LuaLimits = { maxDepth: 8, maxNodes: 2000, maxTextBytes: 256 * 1024 };
export const headerLimits: LuaLimits = { maxDepth: 2, maxNodes: 1000, maxTextBytes: 64 * 1024 };

export function textArgument(
  machine: LuaMachine,
  L: number,
  index: number,
  { name, maxBytes }: { name: string; maxBytes?: number },
): string {
  requireText(machine, L, index, name, maxBytes);
  return machine.textAt(L, index);
}

export function bytesArgument(machine: LuaMachine, L: number, index: number, name: string): Buffer {
  requireText(machine, L, index, name);
  return machine.bytesAt(L, index);
}

function requireText(machine: LuaMachine, L: number, index: number, name: string, maxBytes?: number): void {
  const type = machine.api.lua_type(L, index);
  // Lua's own functions take a number as its text.
  if (type === luaType.string || type === luaType.number) {
    if (machine.sizeAt(L, index) <= (maxBytes ?? argumentLimits.maxTextBytes)) return;
    throw new LuaRaise(`${name} takes at most ${maxBytes === undefined ? '10 MB' : `${maxBytes} bytes`} of text`);
  }
  throw new LuaRaise(`${name} takes a string as argument ${index}, not ${luaTypeNames[type] ?? 'nothing'}`);
}
