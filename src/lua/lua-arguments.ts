import { luaType, luaTypeNames } from './lua-api.ts';
import { type LuaMachine, LuaRaise } from './lua-machine.ts';
import { type LuaLimits, readValue } from './lua-values.ts';

/** What a host function takes from a script. */
export const argumentLimits: LuaLimits = { maxDepth: 64, maxNodes: 200_000, maxTextBytes: 10 * 1024 * 1024 };

export function readArgument(machine: LuaMachine, L: number, index: number, name: string): unknown {
  return readValue(machine, L, index, { name, limits: argumentLimits });
}

export function textArgument(machine: LuaMachine, L: number, index: number, name: string): string {
  requireText(machine, L, index, name);
  return machine.textAt(L, index);
}

export function bytesArgument(machine: LuaMachine, L: number, index: number, name: string): Buffer {
  requireText(machine, L, index, name);
  return machine.bytesAt(L, index);
}

function requireText(machine: LuaMachine, L: number, index: number, name: string): void {
  const type = machine.api.lua_type(L, index);
  if (type === luaType.string) {
    if (machine.sizeAt(L, index) <= argumentLimits.maxTextBytes) return;
    throw new LuaRaise(`${name} takes at most 10 MB of text`);
  }
  throw new LuaRaise(`${name} takes a string as argument ${index}, not ${luaTypeNames[type] ?? 'nothing'}`);
}
