import { luaRegistry, luaType, luaTypeNames } from './lua-api.ts';
import { type LuaMachine, LuaRaise } from './lua-machine.ts';

/** The limits of a value that leaves a script. */
export interface LuaLimits {
  maxDepth: number;
  maxNodes: number;
  maxTextBytes: number;
}

const resultLimits: LuaLimits = { maxDepth: 64, maxNodes: 100_000, maxTextBytes: 5 * 1024 * 1024 };

export interface ReadOptions {
  /** The name of the value in messages. */
  name: string;
  limits?: LuaLimits;
  /** Skips functions in records instead of rejecting them. */
  skipFunctions?: boolean;
}

/**
 * Reads the value at `index` as JSON data, without running metamethods. Sorts the keys of records, because their order in Lua
 * differs from run to run. Raises a Lua error that names the path of a value that is not data.
 */
export function readValue(machine: LuaMachine, L: number, index: number, options: ReadOptions): unknown {
  return new Reader(machine, L, options).read(machine.api.lua_absindex(L, index), options.name, 0);
}

class Reader {
  readonly #machine: LuaMachine;
  readonly #L: number;
  readonly #limits: LuaLimits;
  readonly #options: ReadOptions;
  readonly #open = new Set<number>();
  #nodes = 0;
  #textBytes = 0;

  constructor(machine: LuaMachine, L: number, options: ReadOptions) {
    this.#machine = machine;
    this.#L = L;
    this.#options = options;
    this.#limits = options.limits ?? resultLimits;
  }

  read(index: number, path: string, depth: number): unknown {
    const { api } = this.#machine;
    this.#nodes += 1;
    if (this.#nodes > this.#limits.maxNodes) {
      throw new LuaRaise(`${this.#options.name}: more than ${this.#limits.maxNodes} values`);
    }
    const type = api.lua_type(this.#L, index);
    if (type === luaType.nil) return null;
    if (type === luaType.boolean) return api.lua_toboolean(this.#L, index) !== 0;
    if (type === luaType.number) return this.#number(index, path);
    if (type === luaType.string) return this.#text(index);
    if (type === luaType.table) return this.#table(index, path, depth);
    if (type === luaType.lightUserdata && api.lua_touserdata(this.#L, index) === 0) return null;
    throw new LuaRaise(
      `${path} is ${luaTypeNames[type]}; only strings, numbers, booleans, nil and tables can leave a script`,
    );
  }

  #number(index: number, path: string): number {
    const value = this.#machine.api.lua_tonumberx(this.#L, index, 0);
    if (!Number.isFinite(value)) throw new LuaRaise(`${path} is ${value}, which is not a JSON number`);
    if (this.#machine.api.lua_isinteger(this.#L, index) !== 0 && !Number.isSafeInteger(value)) {
      throw new LuaRaise(`${path} is an integer beyond 2^53, which JSON cannot hold exactly; use a string`);
    }
    return value;
  }

  #text(index: number): string {
    this.#textBytes += this.#machine.sizeAt(this.#L, index);
    if (this.#textBytes > this.#limits.maxTextBytes) {
      throw new LuaRaise(`${this.#options.name}: more than ${megabytes(this.#limits.maxTextBytes)} of text`);
    }
    return this.#machine.textAt(this.#L, index);
  }

  #table(index: number, path: string, depth: number): unknown {
    const { api } = this.#machine;
    const L = this.#L;
    if (depth >= this.#limits.maxDepth) {
      throw new LuaRaise(`${path} is nested deeper than ${this.#limits.maxDepth} levels`);
    }
    const pointer = api.lua_topointer(L, index);
    if (this.#open.has(pointer)) throw new LuaRaise(`${path} contains itself`);
    if (api.lua_checkstack(L, 4) === 0) throw new LuaRaise('not enough memory');
    this.#open.add(pointer);
    const record: [string, unknown][] = [];
    const list: unknown[] = [];
    let listed = 0;
    api.lua_pushnil(L);
    while (api.lua_next(L, index) !== 0) {
      const value = api.lua_gettop(L);
      const keyType = api.lua_type(L, value - 1);
      if (keyType === luaType.string) {
        const key = this.#text(value - 1);
        if (key === '__proto__') throw new LuaRaise(`${path} has the key "__proto__", which is not allowed`);
        const isSkipped = this.#options.skipFunctions && api.lua_type(L, value) === luaType.function;
        if (!isSkipped) record.push([key, this.read(value, `${path}.${key.slice(0, 100)}`, depth + 1)]);
      } else if (keyType === luaType.number && api.lua_isinteger(L, value - 1) !== 0) {
        const key = api.lua_tonumberx(L, value - 1, 0);
        if (key < 1 || key > this.#limits.maxNodes) {
          throw new LuaRaise(`${path} has the number key ${key}; list indexes start at 1 and have no gaps`);
        }
        listed += 1;
        list[key - 1] = this.read(value, `${path}[${key}]`, depth + 1);
      } else {
        throw new LuaRaise(`${path} has a key that is ${luaTypeNames[keyType]}; keys are strings, or 1 to n of a list`);
      }
      api.lua_settop(L, value - 1);
    }
    this.#open.delete(pointer);
    if (listed > 0 && record.length > 0) {
      throw new LuaRaise(
        `${path} is a list but also has the key "${record[0]?.[0].slice(0, 100)}"; it must be a list or a record`,
      );
    }
    if (listed < list.length) {
      throw new LuaRaise(
        `${path} has gaps: ${listed} values up to number ${list.length}; put json.null where one is missing`,
      );
    }
    if (listed > 0) return list;
    if (record.length === 0 && this.#isEmptyList(index)) return [];
    const sorted = record.sort(([first], [second]) => (first < second ? -1 : 1));
    if (sorted.some(([key], position) => key === sorted[position - 1]?.[0])) {
      throw new LuaRaise(`${path} has two keys that differ only in bytes that are not UTF-8`);
    }
    return Object.fromEntries(sorted);
  }

  #isEmptyList(index: number): boolean {
    const { api } = this.#machine;
    if (api.lua_getmetatable(this.#L, index) === 0) return false;
    api.lua_rawgetp(this.#L, luaRegistry, emptyListKey);
    const isMarked = api.lua_rawequal(this.#L, -1, -2) !== 0;
    api.lua_settop(this.#L, -3);
    return isMarked;
  }
}

export interface PushOptions {
  /** Keeps nulls in records as `json.null` instead of dropping them. */
  keepNull?: boolean;
}

/** Pushes JSON data. Marks empty lists, so that they stay lists when they leave the script. */
export function pushValue(machine: LuaMachine, L: number, value: unknown, options: PushOptions = {}, depth = 0): void {
  const { api } = machine;
  if (depth > 100) throw new LuaRaise('The data is nested deeper than 100 levels');
  if (api.lua_checkstack(L, 4) === 0) throw new LuaRaise('not enough memory');
  if (value === null || value === undefined) {
    if (depth === 0) api.lua_pushnil(L);
    else api.lua_pushlightuserdata(L, 0);
  } else if (typeof value === 'string') machine.pushText(L, value);
  else if (typeof value === 'boolean') api.lua_pushboolean(L, value ? 1 : 0);
  else if (typeof value === 'number') {
    if (Number.isSafeInteger(value)) api.lua_pushinteger(L, BigInt(value));
    else api.lua_pushnumber(L, value);
  } else if (value instanceof Uint8Array) machine.pushBytes(L, value);
  else if (Array.isArray(value)) pushList(machine, L, value, options, depth);
  else if (typeof value === 'object') pushRecord(machine, L, Object.entries(value), options, depth);
  else throw new LuaRaise(`A ${typeof value} cannot be passed to Lua`);
}

function pushRecord(
  machine: LuaMachine,
  L: number,
  entries: [string, unknown][],
  options: PushOptions,
  depth: number,
): void {
  const { api } = machine;
  api.lua_createtable(L, 0, entries.length);
  for (const [key, each] of entries) {
    if (each === undefined || (each === null && !options.keepNull)) continue;
    machine.pushText(L, key);
    pushValue(machine, L, each, options, depth + 1);
    api.lua_rawset(L, -3);
  }
}

function pushList(machine: LuaMachine, L: number, list: unknown[], options: PushOptions, depth: number): void {
  const { api } = machine;
  api.lua_createtable(L, list.length, 0);
  if (list.length === 0) {
    api.lua_rawgetp(L, luaRegistry, emptyListKey);
    api.lua_setmetatable(L, -2);
  }
  for (const [index, each] of list.entries()) {
    pushValue(machine, L, each, options, depth + 1);
    api.lua_rawseti(L, -2, BigInt(index + 1));
  }
}

/** Creates the metatable that marks empty lists. It has no fields, so it does not change how a table behaves. */
export function prepareValues(machine: LuaMachine): void {
  machine.api.lua_createtable(machine.L, 0, 0);
  machine.api.lua_rawsetp(machine.L, luaRegistry, emptyListKey);
}

const emptyListKey = 1;

export function megabytes(bytes: number): string {
  return bytes < 1024 * 1024 ? `${Math.round(bytes / 1024)} KB` : `${Math.round(bytes / 1024 / 1024)} MB`;
}

/** The limits of an argument of a host function. */
export const argumentLimits: LuaLimits = { maxDepth: 64, maxNodes: 200_000, maxTextBytes: 10 * 1024 * 1024 };

export function readArgument(
  machine: LuaMachine,
  L: number,
  index: number,
  { name, limits = argumentLimits }: { name: string; limits?: LuaLimits },
): unknown {
  if (machine.api.lua_gettop(L) < index) throw new LuaRaise(`${name} is missing`);
  return readValue(machine, L, index, { name, limits });
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
  if (type === luaType.string) {
    if (machine.sizeAt(L, index) <= (maxBytes ?? argumentLimits.maxTextBytes)) return;
    throw new LuaRaise(`${name} takes at most ${maxBytes === undefined ? '10 MB' : `${maxBytes} bytes`} of text`);
  }
  throw new LuaRaise(`${name} takes a string as argument ${index}, not ${luaTypeNames[type] ?? 'nothing'}`);
}
