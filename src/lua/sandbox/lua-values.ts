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
  /**
   * Reads every value as Context Harness does, instead of rejecting it: NaN, infinity, functions and gaps become null, a table with a
   * first entry is a list, and number keys of other tables become text. Called with a sentence about what a list loses.
   */
  onLoss?: (message: string) => void;
}

/**
 * Reads the value at `index` as JSON data, without running metamethods. Sorts the keys of records, because their order in Lua
 * differs from run to run. Integers beyond 2^53 are bigints with `onLoss`, and rejected without it. Raises a Lua error that names
 * the path of a value that is not data.
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
    if (this.#options.onLoss) return null;
    throw new LuaRaise(
      `${path} is ${luaTypeNames[type]}; only strings, numbers, booleans, nil and tables can leave a script`,
    );
  }

  #number(index: number, path: string): number | bigint | null {
    const { api } = this.#machine;
    const { onLoss } = this.#options;
    const value = api.lua_tonumberx(this.#L, index, 0);
    if (!Number.isFinite(value)) {
      if (onLoss) return null;
      throw new LuaRaise(`${path} is ${value}, which is not a JSON number`);
    }
    if (Number.isSafeInteger(value) || api.lua_isinteger(this.#L, index) === 0) return value;
    if (onLoss) return api.lua_tointegerx(this.#L, index, 0);
    throw new LuaRaise(`${path} is an integer beyond 2^53, which JSON cannot hold exactly; use a string`);
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
    const value = this.#options.onLoss
      ? this.#listOrRecord(index, path, depth)
      : this.#strictListOrRecord(index, path, depth);
    this.#open.delete(pointer);
    return value;
  }

  #strictListOrRecord(index: number, path: string, depth: number): unknown {
    const { api } = this.#machine;
    const L = this.#L;
    const record: [string, unknown][] = [];
    const list: unknown[] = [];
    let listed = 0;
    this.#each(index, (value, keyType) => {
      if (keyType === luaType.string) {
        const key = this.#key(value - 1, path);
        const isSkipped = this.#options.skipFunctions && api.lua_type(L, value) === luaType.function;
        if (!isSkipped) record.push([key, this.read(value, `${path}.${key.slice(0, 100)}`, depth + 1)]);
      } else if (keyType === luaType.number && api.lua_isinteger(L, value - 1) !== 0) {
        const key = api.lua_tonumberx(L, value - 1, 0);
        if (key < 1 || key > this.#limits.maxNodes) {
          throw new LuaRaise(`${path} has the number key ${key}; list indexes start at 1 and have no gaps`);
        }
        listed += 1;
        list[key - 1] = this.read(value, `${path}[${key}]`, depth + 1);
      } else throw oddKey(path, keyType);
    });
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
    return listed > 0 ? list : this.#record(record, index, path);
  }

  /** Follows Context Harness: a table whose length is not 0 is a list, any other is a record. */
  #listOrRecord(index: number, path: string, depth: number): unknown {
    const { api } = this.#machine;
    const L = this.#L;
    const length = Number(api.lua_rawlen(L, index));
    if (length > this.#limits.maxNodes) {
      throw new LuaRaise(`${this.#options.name}: more than ${this.#limits.maxNodes} values`);
    }
    const record: [string, unknown][] = [];
    const list: unknown[] = Array.from({ length }, () => null);
    let lost: string | undefined;
    this.#each(index, (value, keyType) => {
      const isNamed = keyType === luaType.string || keyType === luaType.number;
      if (length === 0) {
        if (!isNamed) throw oddKey(path, keyType);
        const key = this.#key(value - 1, path);
        record.push([key, this.read(value, `${path}.${key.slice(0, 100)}`, depth + 1)]);
        return;
      }
      const position = keyType === luaType.number ? api.lua_tonumberx(L, value - 1, 0) : 0;
      if (Number.isInteger(position) && position >= 1 && position <= length) {
        list[position - 1] = this.read(value, `${path}[${position}]`, depth + 1);
      } else lost ??= isNamed ? this.#key(value - 1, path).slice(0, 100) : String(luaTypeNames[keyType]);
    });
    if (length === 0) return this.#record(record, index, path);
    if (lost !== undefined) {
      this.#options.onLoss?.(`${path} is a list of ${length}, so its key "${lost}" is left out of the JSON.`);
    }
    return list;
  }

  #record(record: [string, unknown][], index: number, path: string): unknown {
    if (record.length === 0 && this.#isEmptyList(index)) return [];
    const sorted = record.sort(([first], [second]) => (first < second ? -1 : 1));
    if (sorted.some(([key], position) => key === sorted[position - 1]?.[0])) {
      throw new LuaRaise(`${path} has two keys that differ only in bytes that are not UTF-8`);
    }
    return Object.fromEntries(sorted);
  }

  /** Calls `visit` with the stack index of each value and the type of its key, which is below the value. */
  #each(index: number, visit: (value: number, keyType: number) => void): void {
    const { api } = this.#machine;
    const L = this.#L;
    api.lua_pushnil(L);
    while (api.lua_next(L, index) !== 0) {
      const value = api.lua_gettop(L);
      visit(value, api.lua_type(L, value - 1));
      api.lua_settop(L, value - 1);
    }
  }

  #key(index: number, path: string): string {
    const { api } = this.#machine;
    if (api.lua_type(this.#L, index) === luaType.number) {
      // Lua's own conversion would change the key itself, and confuse the loop over the table.
      const isInteger = api.lua_isinteger(this.#L, index) !== 0;
      return String(isInteger ? api.lua_tointegerx(this.#L, index, 0) : api.lua_tonumberx(this.#L, index, 0));
    }
    const key = this.#text(index);
    if (key === '__proto__') throw new LuaRaise(`${path} has the key "__proto__", which is not allowed`);
    return key;
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

function oddKey(path: string, keyType: number): LuaRaise {
  return new LuaRaise(`${path} has a key that is ${luaTypeNames[keyType]}; keys are strings, or 1 to n of a list`);
}

/** Pushes JSON data. Null is nil, so it leaves a gap in a list. Marks empty lists, so that they stay lists when they leave the script. */
export function pushValue(machine: LuaMachine, L: number, value: unknown, depth = 0): void {
  const { api } = machine;
  if (depth > 100) throw new LuaRaise('The data is nested deeper than 100 levels');
  if (api.lua_checkstack(L, 4) === 0) throw new LuaRaise('not enough memory');
  if (value === null || value === undefined) api.lua_pushnil(L);
  else if (typeof value === 'string') machine.pushText(L, value);
  else if (typeof value === 'boolean') api.lua_pushboolean(L, value ? 1 : 0);
  else if (typeof value === 'bigint' && BigInt.asIntN(64, value) === value) api.lua_pushinteger(L, value);
  else if (typeof value === 'number' || typeof value === 'bigint') {
    if (Number.isSafeInteger(value)) api.lua_pushinteger(L, BigInt(value));
    else api.lua_pushnumber(L, Number(value));
  } else if (value instanceof Uint8Array) machine.pushBytes(L, value);
  else if (Array.isArray(value)) pushList(machine, L, value, depth);
  else if (typeof value === 'object') pushRecord(machine, L, Object.entries(value), depth);
  else throw new LuaRaise(`A ${typeof value} cannot be passed to Lua`);
}

function pushRecord(machine: LuaMachine, L: number, entries: [string, unknown][], depth: number): void {
  const { api } = machine;
  api.lua_createtable(L, 0, entries.length);
  for (const [key, each] of entries) {
    if (each === undefined || each === null) continue;
    machine.pushText(L, key);
    pushValue(machine, L, each, depth + 1);
    api.lua_rawset(L, -3);
  }
}

function pushList(machine: LuaMachine, L: number, list: unknown[], depth: number): void {
  const { api } = machine;
  api.lua_createtable(L, list.length, 0);
  if (list.length === 0) {
    api.lua_rawgetp(L, luaRegistry, emptyListKey);
    api.lua_setmetatable(L, -2);
  }
  for (const [index, each] of list.entries()) {
    pushValue(machine, L, each, depth + 1);
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
