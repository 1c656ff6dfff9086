import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { knowledgeThatMayHang, luaHost, resolveJob, startSilentServer } from '../../../test/support/lua/lua-jobs.ts';
import { silentLogger } from '../../base/logger.ts';
import type { KnowledgeReader } from '../../knowledge/knowledge.ts';
import type { SearchResult } from '../../knowledge/search/search-request.ts';
import { functionsKey, type LuaJob, type LuaSandbox } from './lua-job.ts';
import { createLuaSandbox } from './sandbox.ts';

let sandbox: LuaSandbox;
let folder: string;

beforeAll(() => {
  sandbox = createLuaSandbox();
  folder = mkdtempSync(join(tmpdir(), 'zoo-lua-'));
});
afterAll(async () => {
  await sandbox.close();
  rmSync(folder, { recursive: true });
});

let count = 0;

/** A job that runs `source` as `agents/script.lua`. */
function job(source: string | Uint8Array, rest: Partial<LuaJob> & { args?: object } = {}): LuaJob {
  count += 1;
  const file = join(folder, `script-${count}.lua`);
  writeFileSync(file, source);
  return resolveJob('agents/script', { file, ...rest });
}

function run(source: string | Uint8Array, rest: Partial<LuaJob> & { args?: object } = {}): Promise<unknown> {
  return sandbox.run(job(source, rest));
}

/** The body of `agent.resolve`. */
function resolve(body: string, rest: Partial<LuaJob> & { args?: object } = {}): Promise<unknown> {
  return run(`function agent.resolve(args, config, context)\n${body}\nend`, rest);
}

function metadata(source: string, rest: Partial<LuaJob> = {}): Promise<unknown> {
  const { call: _, ...others } = job(source, rest);
  return sandbox.run(others);
}

describe('metadata', () => {
  it('is the table without its functions, whose names stand beside it', async () => {
    const source = `agent = { name = "a", tools = { "search" }, arguments = { { name = "x", check = print } }, empty = {} }
      function agent.resolve() end
      function agent.complete() end
      return agent`;
    expect(await metadata(source)).toEqual({
      name: 'a',
      tools: ['search'],
      arguments: [{ name: 'x' }],
      empty: {},
      [functionsKey]: ['complete', 'resolve'],
    });
  });

  it('may be a local table that is returned, or a global one that is only filled', async () => {
    expect(await metadata('local mine = { name = "b" }\nreturn mine')).toEqual({ name: 'b', [functionsKey]: [] });
    expect(await metadata('tool.name = "c"', { table: 'tool' })).toEqual({ name: 'c', [functionsKey]: [] });
  });

  it('names a thousand functions at most', async () => {
    const source = (count: number) => `for i = 1, ${count} do agent["f" .. i] = print end`;
    expect(await metadata(source(1000))).toEqual({ [functionsKey]: expect.objectContaining({ length: 1000 }) });
    await expect(metadata(source(1001))).rejects.toMatchObject({
      message: 'agents/script.lua: "agent" has more than 1000 functions',
    });
  });

  it('cannot set the key of the functions by itself', async () => {
    expect(await metadata(`agent["${functionsKey}"] = { "resolve" }`)).toEqual({ [functionsKey]: [] });
  });
});

describe('the file', () => {
  it.each([
    [
      'compiled Lua',
      Buffer.from('\x1bLua\x54\x00'),
      /^agents\/script\.lua is compiled Lua\. Only source text is allowed/,
    ],
    ['bytes that are not UTF-8', Buffer.from([0x2d, 0x2d, 0xff, 0xfe]), /is not UTF-8 text/],
    ['more than a megabyte', `--${'x'.repeat(1024 * 1024)}`, /has \d+ bytes; the maximum is 1048576/],
    ['an error of syntax', 'x = = 1', /^agents\/script\.lua:1: unexpected symbol near '='$/],
    ['parentheses without end', `x = ${'('.repeat(100_000)}`, /^agents\/script\.lua: C stack overflow$/],
  ])('with %s is refused', async (_what, source, message) => {
    await expect(run(source)).rejects.toMatchObject({ code: 'AGENT_ERROR', message: expect.stringMatching(message) });
  });

  it('that is missing is named', async () => {
    const missing = resolveJob('agents/missing', { file: join(folder, 'missing.lua'), table: 'tool' });
    const message = 'agents/missing.lua cannot be read: there is no such file.';
    await expect(sandbox.run(missing)).rejects.toMatchObject({ code: 'TOOL_ERROR', message });
  });

  it('may begin with a mark or a line for the shell', async () => {
    expect(await run('\uFEFFfunction agent.resolve() return 1 end')).toBe(1);
    const shell = '#!/usr/bin/lua\nfunction agent.resolve()\nerror("line 3")\nend';
    await expect(run(shell)).rejects.toMatchObject({ message: 'agents/script.lua:3: line 3' });
  });

  it('keeps its whole name in messages, however long', async () => {
    const shown = `agents/${'ü'.repeat(60)}/incident.lua`;
    await expect(resolve('error("x")', { shown })).rejects.toMatchObject({ message: `${shown}:2: x` });
  });
});

describe('values', () => {
  it('come in and go out as JSON data', async () => {
    const args = {
      text: 'ü\0€😀',
      list: [1, 2.5, true],
      none: null,
      some: [null, 1],
      empty: [],
      record: {},
      big: 1e300,
    };
    const { none: _, some: __, ...rest } = args;
    expect(await resolve('args.some = nil return args', { args })).toEqual(rest);
    expect(
      await resolve('return { args.none == nil, args.some[1] == nil, #args.empty, math.type(args.list[1]) }', {
        args,
      }),
    ).toEqual([true, true, 0, 'integer']);
  });

  it('nil is null, integers and floats are numbers, bytes that are no text are marked', async () => {
    expect(await resolve('return nil')).toBe(null);
    expect(await resolve('return { 3, 3.0, -0.5, 1 << 52, "a\\xffb" }')).toEqual([3, 3, -0.5, 2 ** 52, 'a\uFFFDb']);
  });

  it('keys that become the same text are refused, for one would be lost', async () => {
    await expect(resolve('return { ["a\\xff"] = 1, ["a\\xfe"] = 2 }')).rejects.toMatchObject({
      message: expect.stringMatching(/agent\.resolve has two keys that differ only in bytes that are not UTF-8$/),
    });
    expect(await resolve('return { ["a\\xff"] = 1, ["a"] = 2 }')).toEqual({ 'a\uFFFD': 1, a: 2 });
  });

  it('numbers by chance differ from run to run', async () => {
    const one = job('function agent.resolve() return { math.random(1 << 50), math.random() } end');
    const runs = [await sandbox.run(one), await sandbox.run(one), await sandbox.run(one)];
    expect(new Set(runs.map((numbers) => JSON.stringify(numbers))).size).toBe(3);
  });

  it('are read raw: no metamethod of a result runs', async () => {
    const body = 'return setmetatable({ a = 1 }, { __index = error, __pairs = error, __len = error })';
    expect(await resolve(body)).toEqual({ a: 1 });
  });

  it('JSON goes through a script unchanged', async () => {
    const text = '{"a":[],"b":{},"d":[null,1],"e":"\\u0000ü"}';
    const back = await resolve('return { json.encode(json.parse(args.text)), json.parse("null") == nil }', {
      args: { text },
    });
    expect(JSON.parse((back as string[])[0] ?? '')).toEqual(JSON.parse(text));
    await expect(resolve('json.parse("{")')).rejects.toMatchObject({
      message: expect.stringMatching(/^agents\/script\.lua:2: The text is not valid JSON/),
    });
    await expect(resolve('local t = {} t.t = t json.encode(t)')).rejects.toMatchObject({
      message: expect.stringMatching(/^agents\/script\.lua:2: the value\.t contains itself/),
    });
  });

  it('a script of Context Harness reads null as nil, so that `or` gives its default', async () => {
    const text = '{"body":null,"list":[1,null,3],"user":{"login":null}}';
    const body = `local data = json.parse(args.text)
      local seen = {}
      for key in pairs(data) do seen[#seen + 1] = key end
      return { (data.body or "") .. "x", data.user.login or "nobody", data.list[3], #seen }`;
    expect(await resolve(body, { args: { text } })).toEqual(['x', 'nobody', 3, 2]);
  });

  it('integers beyond 2^53 keep their value from JSON to Lua and back', async () => {
    const text =
      '{"big":9007199254740993,"huge":123456789012345678901234567890,"least":-9223372036854775808,"text":"9007199254740993"}';
    const body = `local data = json.parse(args.text)
      return { data.big == 9007199254740993, math.type(data.big), math.type(data.huge), tostring(data.least), json.encode(data) }`;
    const [isSame, big, huge, least, back] = (await resolve(body, { args: { text } })) as [boolean, ...string[]];
    expect([isSame, big, huge, least]).toEqual([true, 'integer', 'float', '-9223372036854775808']);
    expect(back).toBe(
      '{"big":9007199254740993,"huge":1.2345678901234568e+29,"least":-9223372036854775808,"text":"9007199254740993"}',
    );
  });

  it.each([
    ['gaps', '{ 1, nil, 3 }', '[1,null,3]'],
    ['a gap at the start', '{ nil, 2 }', '[null,2]'],
    ['a list with a name', '{ 1, 2, name = "x" }', '[1,2]'],
    ['numbers as keys', '{ [2026] = "a", [0.5] = "b" }', '{"2026":"a","0.5":"b"}'],
    ['NaN and infinity', '{ a = 0/0, b = 1/0, c = -1/0 }', '{"a":null,"b":null,"c":null}'],
    ['a function', '{ f = print, s = "s" }', '{"f":null,"s":"s"}'],
    ['an empty table', '{}', '{}'],
    ['json.null', '{ a = json.null }', '{"a":null}'],
  ])('json.encode writes %s as Context Harness does', async (_name, value, text) => {
    expect(await resolve(`return json.encode(${value})`)).toBe(text);
  });

  it('json.encode tells in the log what a list loses', async () => {
    const warnings: string[] = [];
    const logger = { ...silentLogger, warn: (_: object, message: string) => void warnings.push(message) };
    await resolve('return json.encode({ page = { 1, 2, total = 9 } })', { host: luaHost({ logger }) });
    expect(warnings).toEqual(['the value.page is a list of 2, so its key "total" is left out of the JSON.']);
  });

  it('base64 and digests work on bytes', async () => {
    const body = `return { base64.encode("a\\0\\xff"), base64.decode("YQD/") == "a\\0\\xff", crypto.sha256("abc"),
      crypto.hmac_sha256("key", "text"), pcall(base64.decode, "?") }`;
    expect(await resolve(body)).toEqual([
      'YQD/',
      true,
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
      '6afa9046a9579cad143a384c1b564b9a250d27d6f6a63f9f20bf3a7594c9e2c6',
      false,
      'base64.decode: the text is not base64',
    ]);
  });
});

describe('the context', () => {
  it('searches with a table and with words and options', async () => {
    const asked: unknown[] = [];
    const knowledge = knowledgeThatMayHang();
    const host = luaHost({
      knowledge: {
        ...knowledge,
        search(request, options) {
          asked.push(request);
          return knowledge.search(request, options);
        },
      },
    });
    const body = `local one = context.search({ query = "a", limit = 2, filters = { source = "runbooks", tags = {} } })
      local two = context.search("b", { mode = "keyword", source = "git:runbooks" })
      return { one[1].title, two[1].snippet, one[1].source_url == nil, one[1].passage.heading[1] }`;
    expect(await resolve(body, { host })).toEqual(['Restart', '**b**', true, 'Restart']);
    expect(asked).toEqual([
      { query: 'a', limit: 2, filters: { source: 'runbooks' } },
      { query: 'b', mode: 'keyword', filters: { source: 'git:runbooks' } },
    ]);
  });

  it('gets documents and sources, and carries further data', async () => {
    const rest = job(
      'function agent.resolve(context) return { context.get("d7"), context.sources(), context.config } end',
    );
    const call = { name: 'resolve', args: [{ context: { config: { limit: 3 } } }] };
    expect(await sandbox.run({ ...rest, call })).toEqual([
      expect.objectContaining({
        id: 'd7',
        created_at: '2026-01-31T08:00:00.000Z',
        chunks: [{ index: 0, text: 'Restart it.' }],
        title: 'Restart',
        source_id: 'restart.md',
        body: '# Restart',
        updated_at: '2026-01-31T08:00:00.000Z',
        tags: [],
        metadata: { owner: 'ops' },
      }),
      [
        expect.objectContaining({
          name: 'git:runbooks',
          configured: true,
          healthy: true,
          notes: 'runbooks.git',
          state: 'ready',
          last_synced_at: '2026-01-31T08:00:00.000Z',
        }),
      ],
      { limit: 3 },
    ]);
  });

  it('is also a global, which the helpers of a script of Context Harness use', async () => {
    const source = `local function find(word) return context.search(word, { limit = "500" })[1].snippet end
      function agent.resolve(args, config, context) return find(42) end`;
    expect(await run(source)).toBe('**42**');
  });

  it('works inside pcall, sort and coroutines', async () => {
    const body = `local list = { "b", "a", "c" }
      table.sort(list, function(x, y) return context.search(x)[1].snippet < context.search(y)[1].snippet end)
      local next = coroutine.wrap(function() for _, each in ipairs(list) do coroutine.yield(context.get(each).id) end end)
      local fine, found = pcall(context.search, "d")
      return { next(), next(), next(), fine, found[1].snippet }`;
    expect(await resolve(body)).toEqual(['a', 'b', 'c', true, '**d**']);
  });

  it.each([
    ['context.search(true)', /^agents\/script\.lua:2: context\.search takes a string, or a table/],
    ['context.search({ query = "a", limit = "many" })', /^agents\/script\.lua:2: context\.search: limit: /],
    ['context.get("d", { lines = "x" })', /context\.get: lines: must look like "120-180"/],
    ['context.get()', /^agents\/script\.lua:2: context\.get takes a string as argument 1, not nothing$/],
    ['context.search()', /^agents\/script\.lua:2: the query is missing$/],
    ['json.encode()', /^agents\/script\.lua:2: the value is missing$/],
    ['context.search(print)', /^agents\/script\.lua:2: the query is a function; /],
    ['sleep(-1)', /^agents\/script\.lua:2: sleep takes a number of seconds, 0 or more$/],
    [
      'http.get("http://127.0.0.1/")',
      /^agents\/script\.lua:2: "127\.0\.0\.1" is a private .*allow_hosts = \["127\.0\.0\.1"\]/,
    ],
  ])('%s fails with a sentence and the line', async (body, message) => {
    await expect(resolve(body)).rejects.toMatchObject({ code: 'AGENT_ERROR', message: expect.stringMatching(message) });
    expect(await resolve(`return pcall(function() ${body} end)`)).toBe(false);
  });

  it.each([
    ['context.get(string.rep("x", 5000))', 'context.get takes at most 4096 bytes of text'],
    ['env.get(string.rep("x", 5000))', 'env.get takes at most 4096 bytes of text'],
    ['fs.read(string.rep("a/", 3000))', 'fs.read takes at most 4096 bytes of text'],
    ['fs.list(string.rep("a/", 3000))', 'fs.list takes at most 4096 bytes of text'],
    ['context.search(string.rep("x", 300000))', 'the query: more than 256 KB of text'],
    ['context.search("x", { tags = many(3000) })', 'the options: more than 2000 values'],
    ['http.get("http://127.0.0.1/" .. string.rep("x", 70000))', 'http.get takes at most 65536 bytes of text'],
    ['http.get("http://127.0.0.1/", { headers = named(70000) })', 'options.headers: more than 64 KB of text'],
    ['http.put("http://127.0.0.1/", { body = string.rep("x", 11000000) })', 'http.put: the body has more than 10 MB'],
    ['http.put("http://127.0.0.1/", { json = string.rep("\\1", 2000000) })', 'http.put: the body has more than 10 MB'],
  ])('%s does not reach the main thread', async (body, message) => {
    const source = `local function many(n) local list = {} for i = 1, n do list[i] = "t" end return list end
      local function named(n) return { ["x-a"] = string.rep("x", n) } end
      function agent.resolve(args, config, context)
      ${body}
      end`;
    await expect(run(source)).rejects.toMatchObject({ message: `agents/script.lua:4: ${message}` });
  });

  it('without a knowledge base raises an error, and a fault of the hub is not revealed', async () => {
    const { knowledge: _, ...without } = luaHost();
    await expect(resolve('context.search("a")', { host: without })).rejects.toMatchObject({
      message: 'agents/script.lua:2: No knowledge base is available here.',
    });
    const broken = { ...knowledgeThatMayHang(), search: () => Promise.reject(new Error('password=1234')) };
    await expect(resolve('context.search("a")', { host: luaHost({ knowledge: broken }) })).rejects.toMatchObject({
      message: 'agents/script.lua:2: Internal error',
    });
    const odd = { ...knowledgeThatMayHang(), search: async () => [{ now: () => 1 }] as unknown as SearchResult[] };
    await expect(resolve('context.search("a")', { host: luaHost({ knowledge: odd }) })).rejects.toMatchObject({
      message: 'agents/script.lua:2: Internal error',
    });
  });
});

describe('a job that must end', () => {
  it('is cancelled by its signal while it runs, with its host call, and before it starts', async () => {
    const aborted: string[] = [];
    const controller = new AbortController();
    const knowledge = knowledgeThatMayHang(aborted);
    const host = luaHost({
      knowledge: {
        ...knowledge,
        search(request, options) {
          queueMicrotask(() => controller.abort());
          return knowledge.search(request, options);
        },
      },
    });
    const message = 'agents/script.lua was cancelled.';
    const running = resolve('context.search("never")', { host, signal: controller.signal });
    await expect(running).rejects.toMatchObject({ code: 'CANCELLED', message });
    expect(aborted).toEqual(['search']);
    const late = resolve('return 1', { signal: AbortSignal.abort() });
    await expect(late).rejects.toMatchObject({ code: 'CANCELLED', message });
    expect(await resolve('return 1')).toBe(1);
  });

  it('is cancelled in the moment it gets its thread', async () => {
    const ownSandbox = createLuaSandbox({ threads: 1 });
    await ownSandbox.run(job('function agent.resolve() end'));
    const controller = new AbortController();
    const first = ownSandbox.run(job('function agent.resolve() end')).then(() => controller.abort());
    const second = ownSandbox.run(job('function agent.resolve() while true do end end', { signal: controller.signal }));
    await expect(second).rejects.toMatchObject({ code: 'CANCELLED' });
    await first;
    expect(await ownSandbox.run(job('function agent.resolve() return 1 end'))).toBe(1);
    await ownSandbox.close();
  });

  it('takes its connection along at the deadline', async () => {
    const silent = await startSilentServer();
    const host = luaHost({ allowedHosts: [silent.host] });
    const waiting = resolve('http.get(args.url)', { host, args: { url: silent.url }, timeoutMs: 3000 });
    await expect(waiting).rejects.toMatchObject({ code: 'TIMEOUT' });
    await expect.poll(() => silent.seen).toEqual({ requests: 1, gone: 1 });
    silent.close();
  });

  it('ends with the sandbox, and nothing starts after', async () => {
    const ownSandbox = createLuaSandbox({ threads: 1 });
    const jobs = [
      ownSandbox.run(job('while true do end')),
      ownSandbox.run(job('while true do end')),
      ownSandbox.run(job('while true do end')),
    ];
    const settled = Promise.allSettled(jobs);
    await ownSandbox.close();
    const refused = { status: 'rejected', reason: expect.objectContaining({ code: 'UNAVAILABLE' }) };
    expect(await settled).toEqual([refused, refused, refused]);
    await expect(ownSandbox.run(job('return {}'))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });
});

describe('threads', () => {
  it('a job that finds no free sandbox in time fails with an error', async () => {
    const ownSandbox = createLuaSandbox({ threads: 1 });
    await ownSandbox.run(job('function agent.resolve() end'));
    const long = [1, 2].map(() =>
      ownSandbox.run(job('function agent.resolve() while true do end end', { timeoutMs: 5000 })),
    );
    const settled = Promise.allSettled(long);
    const late = ownSandbox.run(job('function agent.resolve() return 1 end', { timeoutMs: 200 }));
    await expect(late).rejects.toMatchObject({
      code: 'TIMEOUT',
      message:
        'agents/script.lua could not start within its limit of 0.2 s, because other scripts used all Lua threads.',
    });
    await ownSandbox.close();
    await settled;
  });

  it('connectors leave one to the prompts', async () => {
    const ownSandbox = createLuaSandbox({ threads: 2 });
    const controller = new AbortController();
    const scan = () =>
      ownSandbox.run(
        job('function connector.scan() while true do end end', {
          table: 'connector',
          call: { name: 'scan', args: [] },
          signal: controller.signal,
        }),
      );
    const scans = Promise.allSettled([scan(), scan(), scan(), scan()]);
    for (let index = 0; index < 20; index += 1) {
      expect(await ownSandbox.run(job(`function agent.resolve() return ${index} end`))).toBe(index);
    }
    controller.abort();
    expect((await scans).map(({ status }) => status)).toEqual(Array(4).fill('rejected'));
    await ownSandbox.close();
  });

  it('a script whose runs never end holds one thread while others wait', async () => {
    const ownSandbox = createLuaSandbox({ threads: 2 });
    const controller = new AbortController();
    const endless = job('function agent.resolve() while true do end end', { signal: controller.signal });
    const settled = Promise.allSettled(Array.from({ length: 10 }, () => ownSandbox.run(endless)));
    const others = [1, 2, 3, 4, 5].map((index) => ownSandbox.run(job(`function agent.resolve() return ${index} end`)));
    expect(await Promise.all(others)).toEqual([1, 2, 3, 4, 5]);
    controller.abort();
    expect((await settled).map(({ status }) => status)).toEqual(Array(10).fill('rejected'));
    await ownSandbox.close();
  });

  it('waiting jobs run in order of arrival', async () => {
    const ownSandbox = createLuaSandbox({ threads: 1 });
    const order: unknown[] = [];
    const scripts = Array.from({ length: 20 }, (_, index) => job(`function agent.resolve() return ${index} end`));
    await Promise.all(scripts.map((script) => ownSandbox.run(script).then((value) => void order.push(value))));
    expect(order).toEqual([...order.keys()]);
    await ownSandbox.close();
  });

  it('one script cannot fill the queue', async () => {
    const ownSandbox = createLuaSandbox({ threads: 1 });
    const greedy = job('function agent.resolve() return 1 end');
    const many = Array.from({ length: 1100 }, () => ownSandbox.run(greedy));
    const other = ownSandbox.run(job('function agent.resolve() return 2 end'));
    const outcomes = await Promise.allSettled(many);
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(refused.length).toBe(100);
    expect(refused[0]?.reason).toMatchObject({
      code: 'UNAVAILABLE',
      message: 'agents/script.lua cannot start: 1000 of its runs are already waiting.',
    });
    expect(await other).toBe(2);
    await ownSandbox.close();
  });

  it('a script that is asked often does not push the others back', async () => {
    const ownSandbox = createLuaSandbox({ threads: 2 });
    const held: (() => void)[] = [];
    let isHolding = true;
    const knowledge: KnowledgeReader = {
      ...knowledgeThatMayHang(),
      async search() {
        if (isHolding) await new Promise<void>((resolve) => held.push(resolve));
        return [];
      },
    };
    const rest = { host: luaHost({ knowledge }), timeoutMs: 120_000 };
    const greedy = job('function agent.resolve(_, _, context) return #context.search("x") end', rest);
    const many = Array.from({ length: 50 }, () => ownSandbox.run(greedy));
    await expect.poll(() => held.length).toBeGreaterThanOrEqual(2);
    const one = ownSandbox.run(job('function agent.resolve() return "one" end', { timeoutMs: 120_000 }));
    // The next run of the greedy script would be held, too, and so would each after it.
    held.shift()?.();
    expect(await one).toBe('one');
    isHolding = false;
    for (const release of held) release();
    expect(await Promise.all(many)).toEqual(Array(50).fill(0));
    await ownSandbox.close();
  });

  it('memory is freed after scripts that used a lot of it', async () => {
    const ownSandbox = createLuaSandbox({ threads: 2 });
    const hungry = job(
      'function agent.resolve() local t = {} for i = 1, 50 do t[i] = ("x"):rep((1 << 20) + i) end return #t end',
    );
    await ownSandbox.run(hungry);
    const before = process.memoryUsage().rss;
    for (let round = 0; round < 8; round += 1) expect(await ownSandbox.run(hungry)).toBe(50);
    // Without it 8 runs of 50 MB would stay.
    await expect.poll(() => (process.memoryUsage().rss - before) / 1024 / 1024).toBeLessThan(250);
    await ownSandbox.close();
  });
});
