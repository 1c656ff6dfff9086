import { luaGlobals, luaRegistry } from './lua-api.ts';
import type { LuaFunction, LuaMachine } from './lua-machine.ts';

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
