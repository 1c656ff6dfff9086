import { luaType } from './lua-api.ts';
import type { LuaItem } from './lua-job.ts';
import { type LuaMachine, LuaRaise } from './lua-machine.ts';
import { type LuaLimits, readValue } from './lua-values.ts';

/** The limits of one item. The whole list is limited only by the memory of the script. */
const itemLimits: LuaLimits = { maxDepth: 64, maxNodes: 100_000, maxTextBytes: 50 * 1024 * 1024 };

/** A batch is sent when it reaches either limit. */
const batchCharacters = 1024 * 1024;
const batchItems = 500;

/** Sends the list at the top of the stack, or its field `items`, in batches. An item that is not data is sent as an error. */
export function sendList(
  machine: LuaMachine,
  L: number,
  { name, send }: { name: string; send(items: readonly LuaItem[]): void },
): null {
  const { api } = machine;
  pushList(machine, L, name);
  const list = api.lua_gettop(L);
  let batch: LuaItem[] = [];
  let characters = 0;
  api.lua_pushnil(L);
  while (api.lua_next(L, list) !== 0) {
    const value = api.lua_gettop(L);
    if (api.lua_isinteger(L, value - 1) === 0) throw new LuaRaise(noList(name));
    const index = api.lua_tonumberx(L, value - 1, 0);
    batch.push(readItem(machine, L, { index, value }));
    characters += bodySize(machine, L, value);
    api.lua_settop(L, value - 1);
    if (characters < batchCharacters && batch.length < batchItems) continue;
    send(batch);
    batch = [];
    characters = 0;
  }
  if (batch.length > 0) send(batch);
  return null;
}

function pushList(machine: LuaMachine, L: number, name: string): void {
  const { api } = machine;
  if (api.lua_type(L, -1) === luaType.table) {
    machine.pushText(L, 'items');
    api.lua_rawget(L, -2);
    if (api.lua_type(L, -1) === luaType.nil) api.lua_settop(L, -2);
  }
  if (api.lua_type(L, -1) !== luaType.table) throw new LuaRaise(noList(name));
}

function noList(name: string): string {
  return `${name} must return a list of items, { { source_id = …, body = … } }.`;
}

function readItem(machine: LuaMachine, L: number, { index, value }: { index: number; value: number }): LuaItem {
  const { api } = machine;
  try {
    // Numbers without a JSON form are of no use in a document, and what a list loses is not worth a warning for each item.
    return { index, value: readValue(machine, L, value, { name: 'the item', limits: itemLimits, onLoss: () => {} }) };
  } catch (error) {
    if (!(error instanceof LuaRaise) || error.message === 'not enough memory') throw error;
    api.lua_settop(L, value);
    const name = textField(machine, L, value, 'source_id');
    return { index, ...(name !== undefined && { name }), error: error.message };
  }
}

function textField(machine: LuaMachine, L: number, value: number, field: string): string | undefined {
  const { api } = machine;
  machine.pushText(L, field);
  api.lua_rawget(L, value);
  const text = api.lua_type(L, -1) === luaType.string ? machine.textAt(L, -1, 200) : undefined;
  api.lua_settop(L, value);
  return text;
}

function bodySize(machine: LuaMachine, L: number, value: number): number {
  const { api } = machine;
  if (api.lua_type(L, value) !== luaType.table) return 0;
  machine.pushText(L, 'body');
  api.lua_rawget(L, value);
  const size = api.lua_type(L, -1) === luaType.string ? machine.sizeAt(L, -1) : 0;
  api.lua_settop(L, value);
  return size;
}
