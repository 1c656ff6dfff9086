import { beforeAll, describe, expect, it } from 'vitest';
import { compileGlue } from './glue-module.ts';
import { type LuaBridge, openJob, openLibraries, pushContext } from './lua-libraries.ts';
import { createLuaMachine, type LuaMachine } from './lua-machine.ts';
import { runScript } from './lua-run.ts';

const memoryBytes = 64 * 1024 * 1024;
let module: WebAssembly.Module;

beforeAll(async () => {
  module = await compileGlue();
});

/** Where the stack of C stood at its deepest, as far as host functions were called there. */
let deepest = Number.POSITIVE_INFINITY;

function makeMachine(): LuaMachine {
  const machine = createLuaMachine(module, { memoryBytes });
  openLibraries(machine, bridgeOf(machine), () => ({ read: () => Buffer.from(''), list: () => [] }));
  machine.seal();
  return machine;
}

function bridgeOf(machine: LuaMachine): LuaBridge {
  return {
    call: () => null,
    log: () => {
      deepest = Math.min(deepest, machine.api.stackSave());
    },
    sleep: () => {},
  };
}

function run(machine: LuaMachine, body: string): unknown {
  openJob(machine, 'agent');
  const text = `function agent.resolve() ${body} end`;
  const call = { name: 'resolve', args: [] };
  const names = { type: 'run', file: 'script.lua', shown: 'script.lua', table: 'agent' } as const;
  return runScript(
    machine,
    { ...names, text, call, memoryBytes, isList: false },
    { pushContext: (L) => pushContext(machine, bridgeOf(machine), L), sendItems() {}, warn() {} },
  );
}

describe('a machine that is set back', () => {
  it.each([
    ['text that is kept', 'kept = string.rep("secret", 100000) return #kept'],
    ['changed libraries', 'string.rep = nil getmetatable("").__index = nil math.x = {} return 1'],
    ['an error in the middle of a coroutine', 'coroutine.wrap(function() error({ "secret" }) end)()'],
    [
      'variables that are never closed',
      'for i = 1, 100 do coroutine.wrap(function() local x <close> = setmetatable({}, { __close = print }) coroutine.yield() end)() end',
    ],
    ['finalizers that never ran', 'for i = 1, 100 do kept = { kept, setmetatable({}, { __gc = print }) } end'],
    ['calls as deep as they go', 'local function f() return (string.gsub("a", "a", f)) end f()'],
  ])('holds the bytes it was sealed with after %s', (_what, body) => {
    const machine = makeMachine();
    const sealed = Buffer.from(machine.api.memory.buffer.slice(0));
    const stack = machine.api.stackSave();
    try {
      run(machine, body);
    } catch {
      // How it ended does not matter here.
    }
    expect(machine.reset()).toBe(true);
    const memory = Buffer.from(machine.api.memory.buffer);
    expect(memory.subarray(0, sealed.length).equals(sealed)).toBe(true);
    expect(memory.subarray(sealed.length).every((byte) => byte === 0)).toBe(true);
    expect(machine.api.stackSave()).toBe(stack);
    expect(run(machine, 'return { string.rep("a", 3), kept == nil }')).toEqual(['aaa', true]);
  });

  it('is given up when its memory grew far', () => {
    const machine = makeMachine();
    run(machine, 'kept = string.rep("x", 10000000)');
    expect(machine.reset()).toBe(false);
  });
});

it('a script cannot take more memory than its limit', () => {
  const machine = makeMachine();
  const hoard = 'local kept = {} for i = 1, 100 do kept[i] = string.rep("x", 1000000 + i) end return #kept';
  expect(() => run(machine, hoard)).toThrow('used more than 64 MB of memory');
  expect(machine.memoryBytes()).toBeLessThanOrEqual(memoryBytes);
});

describe('the stack of C', () => {
  // It lies above the static data of Lua, a megabyte of it, and nothing would stop it there.
  it.each([
    ['gsub', 'local function f() print() return (string.gsub("a", "a", f)) end f()'],
    [
      'string.format',
      'local t = setmetatable({}, {}) getmetatable(t).__tostring = function() print() return string.format("%s%s", t, t) end tostring(t)',
    ],
    [
      'table.concat',
      'local t t = setmetatable({}, { __index = function() print() return table.concat(t, "", 1, 1) end }) return table.concat(t, "", 1, 1)',
    ],
    ['coroutines', 'local function f() print() coroutine.wrap(f)() end f()'],
    [
      'pcall',
      'local t t = setmetatable({}, { __call = function() print() return select(2, pcall(t)) end }) return t()',
    ],
  ])('is used by a third at most when %s calls itself until Lua stops it', (_what, body) => {
    const machine = makeMachine();
    const before = machine.api.stackSave();
    deepest = Number.POSITIVE_INFINITY;
    let end: unknown;
    try {
      end = run(machine, body);
    } catch (error) {
      end = error;
    }
    expect(String(end)).toContain('C stack overflow');
    expect(before - deepest).toBeGreaterThan(0);
    expect(before - deepest).toBeLessThan((1024 * 1024) / 3);
  });
});
