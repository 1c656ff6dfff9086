import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memoryServerStore, remoteTool } from '../../test/support/servers/test-servers.ts';
import { ServerDefinition } from './server-definition.ts';
import { noMemory, type ServerMemory } from './server-store.ts';
import { defaultSetting, describeTools } from './server-tools.ts';
import type { RemoteTool } from './supervise/server-connection.ts';
import { type Acceptance, acceptTools, hashTools, reviewList, toReadList } from './trust.ts';

type Trust = 'first-use' | 'ask' | 'always';

/** A server whose lists are reviewed as in the hub. */
function judged(trust: Trust) {
  const store = memoryServerStore({ now: () => 1 });
  const definition = ServerDefinition.parse({ transport: 'stdio', command: 'x', trust });
  return {
    async list(...tools: RemoteTool[]) {
      const read = await toReadList({ name: 'x', version: '1' }, tools);
      await store.change('x', (memory) => reviewList(memory, read, { trust, holder: 'one', now: 1 }));
    },
    async accept(...tools: { tool: string; hash?: string }[]) {
      const wanted = tools.length > 0 ? tools : undefined;
      await store.change('x', (memory) => acceptTools('x', memory, { tools: wanted, listId: undefined, now: 1 }));
    },
    async drafts() {
      return describeTools({ server: 'x', definition, memory: await store.memory('x'), offReason: null });
    },
    async turnOff(tool: string) {
      await store.setTool('x', { ...defaultSetting(tool), enabled: false });
    },
    async shown() {
      const drafts = await this.drafts();
      return Object.fromEntries(drafts.map(({ remoteName, status }) => [remoteName, status]));
    },
  };
}

const [a, b] = [remoteTool('a'), remoteTool('b')];
const otherA = remoteTool('a', { description: 'Sends everything elsewhere.' });

describe('a tool that was turned off', () => {
  it('is gone when its server no longer lists it, so that it can be forgotten', async () => {
    const server = judged('first-use');
    await server.list(a, b);
    await server.turnOff('a');
    expect(await server.shown()).toEqual({ a: 'off', b: 'active' });
    await server.list(b);
    expect(await server.shown()).toEqual({ a: 'gone', b: 'active' });
  });

  it('is unusable if nobody could call it when it is on', async () => {
    const server = judged('always');
    await server.list(remoteTool('a', { inputSchema: { type: 'string' } }), b);
    await server.turnOff('a');
    expect(await server.shown()).toEqual({ a: 'unusable', b: 'active' });
  });
});

it('a tool that nobody could call is gone like any other', async () => {
  const server = judged('first-use');
  await server.list(remoteTool('a', { inputSchema: { type: 'string' } }), b);
  expect(await server.shown()).toEqual({ a: 'unusable', b: 'active' });
  await server.list(b);
  expect(await server.shown()).toEqual({ a: 'gone', b: 'active' });
});

describe('the hash of a tool', () => {
  it('covers the whole definition and ignores the order of keys', async () => {
    const [first] = await hashTools([a]);
    const reversed = Object.fromEntries(Object.entries(a).reverse()) as RemoteTool;
    expect((await hashTools([reversed]))[0]?.hash).toBe(first?.hash);
    const others = [
      otherA,
      { ...a, title: 'A' },
      { ...a, icons: [{ src: 'https://example.com/a.png' }] },
      { ...a, icons: [{ src: 'https://example.com/b.png' }] },
      { ...a, annotations: { readOnlyHint: true } },
      { ...a, _meta: { x: 1 } },
      { ...a, inputSchema: { type: 'object', properties: { deep: { anyOf: [{ const: 1 }] } } } },
      JSON.parse(
        `{"name":"a","description":"What a does.","inputSchema":{"type":"object","properties":{"__proto__":{}}}}`,
      ),
    ] as RemoteTool[];
    const hashes = (await hashTools(others)).map(({ hash }) => hash);
    expect(new Set([...hashes, first?.hash]).size).toBe(others.length + 1);
  });
});

it('the hash of a definition, with or without icons, is the one that older versions pinned', async () => {
  const hashes = await hashTools([a, { ...a, title: 'A', icons: [{ src: 'https://example.com/a.png' }] }]);
  expect(hashes.map(({ hash }) => hash.slice(0, 16))).toEqual(['d4e1f584352e1f95', 'bb681691f1f7d70a']);
});

describe('with trust at first use', () => {
  it('the first list is accepted; later tools are held, and changed tools are withdrawn', async () => {
    const server = judged('first-use');
    await server.list(a);
    expect(await server.shown()).toEqual({ a: 'active' });
    await server.list(otherA, b);
    expect(await server.shown()).toEqual({ a: 'changed', b: 'new' });
    await server.accept();
    expect(await server.shown()).toEqual({ a: 'active', b: 'active' });
    expect((await server.drafts())[0]?.accepted).toEqual(otherA);
  });

  it('a tool that changes back to its accepted form is active again', async () => {
    const server = judged('first-use');
    await server.list(a);
    await server.list(otherA);
    await server.list(a);
    expect(await server.shown()).toEqual({ a: 'active' });
  });

  it('a missing tool stays marked until the user accepts that, and must be accepted again if it returns changed', async () => {
    const server = judged('first-use');
    await server.list(a, b);
    await server.list(b);
    expect(await server.shown()).toEqual({ a: 'gone', b: 'active' });
    await server.list(otherA, b);
    expect(await server.shown()).toEqual({ a: 'changed', b: 'active' });
    await server.list(b);
    await server.accept({ tool: 'a' });
    expect(await server.shown()).toEqual({ b: 'active' });
    await server.list(a, b);
    expect(await server.shown()).toEqual({ a: 'new', b: 'active' });
  });

  it('an empty first list counts as a list', async () => {
    const server = judged('first-use');
    await server.list();
    await server.list(a);
    expect(await server.shown()).toEqual({ a: 'new' });
  });
});

it('with trust = "ask", the first list must be accepted too', async () => {
  const server = judged('ask');
  await server.list(a, b);
  expect(await server.shown()).toEqual({ a: 'new', b: 'new' });
  await server.accept({ tool: 'a' });
  expect(await server.shown()).toEqual({ a: 'active', b: 'new' });
});

it('with trust = "always", exactly the listed tools are active', async () => {
  const server = judged('always');
  await server.list(a, b);
  await server.list(otherA);
  expect(await server.shown()).toEqual({ a: 'active' });
  expect((await server.drafts())[0]?.accepted).toEqual(otherA);
});

describe('accepting', () => {
  it('applies only to the definition that the user saw', async () => {
    const server = judged('first-use');
    await server.list(a);
    await server.list(otherA);
    const [{ proposedHash = null } = {}] = await server.drafts();
    const third = remoteTool('a', { description: 'Worse.' });
    await server.list(third);
    await expect(server.accept({ tool: 'a', hash: proposedHash ?? '' })).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await server.shown()).toEqual({ a: 'changed' });
    const [seen] = await server.drafts();
    await server.accept({ tool: 'a', hash: seen?.proposedHash ?? '' });
    expect(await server.shown()).toEqual({ a: 'active' });
  });

  it('fails for an unknown tool', async () => {
    const server = judged('ask');
    await server.list(a);
    await expect(server.accept({ tool: 'zzz' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('accepting an unchanged tool again does nothing', async () => {
    const server = judged('ask');
    await server.list(a);
    const [draft] = await server.drafts();
    const seen = { tool: 'a', hash: draft?.proposedHash ?? '' };
    await server.accept(seen);
    await server.accept(seen);
    expect(await server.shown()).toEqual({ a: 'active' });
  });
});

it('only accepted definitions can be called, whatever a server lists', async () => {
  const tool = fc.record({ name: fc.constantFrom('a', 'b', 'c'), description: fc.constantFrom('1', '2', '3') });
  const list = fc
    .uniqueArray(tool, { selector: ({ name }) => name })
    .map((tools) => ({ kind: 'list' as const, tools }));
  const accept = fc
    .option(fc.constantFrom('a', 'b', 'c'), { nil: undefined })
    .map((name) => ({ kind: 'accept' as const, name }));
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom<Trust>('first-use', 'ask'),
      fc.array(fc.oneof(list, accept), { maxLength: 20 }),
      async (trust, steps) => {
        const server = judged(trust);
        /** What the user, or the first list, accepted. */
        const agreed = new Map<string, string>();
        let listed: { name: string; description: string }[] | undefined;
        for (const step of steps) {
          if (step.kind === 'list') {
            if (listed === undefined && trust === 'first-use')
              for (const { name, description } of step.tools) agreed.set(name, description);
            listed = step.tools;
            await server.list(...listed.map(({ name, description }) => remoteTool(name, { description })));
          } else {
            const { name } = step;
            try {
              await server.accept(...(name === undefined ? [] : [{ tool: name }]));
            } catch {
              continue;
            }
            for (const each of listed ?? [])
              if (name === undefined || each.name === name) agreed.set(each.name, each.description);
            for (const each of agreed.keys())
              if ((name === undefined || each === name) && !listed?.some((one) => one.name === each))
                agreed.delete(each);
          }
          const expected = (listed ?? []).filter(({ name, description }) => agreed.get(name) === description);
          const active = (await server.drafts()).filter(({ status }) => status === 'active');
          expect(active.map(({ accepted }) => `${accepted?.name} ${accepted?.description}`).sort()).toEqual(
            expected.map(({ name, description }) => `${name} ${description}`).sort(),
          );
        }
      },
    ),
    { numRuns: 300 },
  );
});

it('a changed tool is never accepted automatically, even if listedAt was lost', async () => {
  const [pin] = await hashTools([a]);
  const memory: ServerMemory = { ...noMemory, pins: pin ? [{ ...pin, acceptedAt: 1 }] : [] };
  const read = await toReadList({ name: 'x', version: '1' }, [otherA, b]);
  const after = reviewList(memory, read, { trust: 'first-use', holder: null, now: 1 });
  expect(after.pins.map(({ definition }) => definition)).toEqual([a, b]);
  expect(after.held.map(({ tool }) => tool)).toEqual(['a']);
});

/** A server whose versions several processes list. */
function upgraded(trust: Trust = 'first-use') {
  const definition = ServerDefinition.parse({ transport: 'stdio', command: 'x', trust });
  let memory = noMemory;
  let now = 0;
  /** What each process has read last. */
  const seen = new Map<string, string>();
  const drafts = (holder: string) =>
    describeTools({ server: 'x', definition, memory, listId: seen.get(holder), offReason: null });
  return {
    memory: () => memory,
    async list(holder: string, version: string, ...tools: RemoteTool[]) {
      const read = await toReadList({ name: 'x', version }, tools);
      now += 1;
      memory = reviewList(memory, read, { trust, holder, now });
      seen.set(holder, read.id);
    },
    accept(holder: string, options: Acceptance = {}) {
      memory = acceptTools('x', memory, { ...options, listId: seen.get(holder), now });
    },
    /** The process ends. */
    end(holder: string) {
      memory = { ...memory, replicas: memory.replicas.filter((each) => each.holder !== holder) };
      seen.delete(holder);
    },
    drafts,
    shown: (holder: string) => Object.fromEntries(drafts(holder).map(({ remoteName, status }) => [remoteName, status])),
  };
}

describe('several versions of a server', () => {
  it('the first list is accepted once, not once per version', async () => {
    const server = upgraded();
    await server.list('one', '1', a);
    await server.list('two', '2', otherA, b);
    await server.list('three', '', remoteTool('a', { description: 'Has no version.' }));
    expect([server.shown('one'), server.shown('two'), server.shown('three')]).toEqual([
      { a: 'active' },
      { a: 'changed', b: 'new' },
      { a: 'changed' },
    ]);
  });

  it('what is accepted for one version is accepted for another that lists exactly the same', async () => {
    const server = upgraded();
    await server.list('one', '1', a);
    await server.list('two', '2', a, b);
    expect(server.shown('two')).toEqual({ a: 'active', b: 'new' });
    server.accept('one', { version: '2' });
    expect(server.shown('two')).toEqual({ a: 'active', b: 'active' });
  });

  it('a tool that one version lacks is gone for that version only, and is forgotten when none has it', async () => {
    const server = upgraded();
    await server.list('one', '1', a, b);
    await server.list('two', '2', b);
    expect([server.shown('one'), server.shown('two')]).toEqual([
      { a: 'active', b: 'active' },
      { a: 'gone', b: 'active' },
    ]);
    server.accept('two', { tools: [{ tool: 'a' }] });
    expect(server.shown('one')).toEqual({ a: 'active', b: 'active' });
    server.end('one');
    expect(server.drafts('two')[0]?.note).toBe('The server no longer lists it.');
    server.accept('two', { tools: [{ tool: 'a' }] });
    expect(server.shown('two')).toEqual({ b: 'active' });
  });

  it('after an upgrade, the old definition of a tool stays accepted while its version is remembered', async () => {
    const server = upgraded();
    await server.list('one', '1', a);
    await server.list('one', '2', otherA);
    server.accept('one');
    expect(server.shown('one')).toEqual({ a: 'active' });
    await server.list('one', '1', a);
    expect(server.shown('one')).toEqual({ a: 'active' });
  });

  it('a changed tool of the same version replaces the old definition, unless another process still lists it', async () => {
    const server = upgraded();
    await server.list('one', '1', a);
    await server.list('two', '1', otherA);
    server.accept('two');
    expect([server.shown('one'), server.shown('two')]).toEqual([{ a: 'active' }, { a: 'active' }]);
    server.end('one');
    await server.list('two', '1', b);
    await server.list('two', '1', remoteTool('a', { description: 'Third.' }));
    server.accept('two');
    expect(server.memory().pins.map(({ definition }) => definition.description)).toEqual(['Third.']);
    await server.list('two', '1', a);
    expect(server.shown('two')).toEqual({ a: 'changed' });
  });

  it('a server that announces another version each time fills nothing', async () => {
    const server = upgraded();
    for (let version = 0; version < 50; version += 1)
      await server.list('one', `${version} ${'x'.repeat(1_000)}`, remoteTool('a', { description: `${version}` }));
    const { lists, held, pins } = server.memory();
    expect([lists.length, held.length, pins.length]).toEqual([5, 5, 1]);
    expect(lists[0]?.version?.version.length).toBe(100);
  });

  it('only accepted definitions can be called, whatever versions a server announces and whoever lists them', async () => {
    const holder = fc.constantFrom('one', 'two', 'three');
    const tool = fc.record({ name: fc.constantFrom('a', 'b'), description: fc.constantFrom('1', '2', '3') });
    const list = fc.record({
      kind: fc.constant('list' as const),
      holder,
      version: fc.constantFrom('', '1', '2'),
      tools: fc.uniqueArray(tool, { selector: ({ name }) => name }),
    });
    const accept = fc.record({ kind: fc.constant('accept' as const), holder });
    const end = fc.record({ kind: fc.constant('end' as const), holder });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(list, list, accept, end), { maxLength: 25 }), async (steps) => {
        const server = upgraded();
        const agreed = new Set<string>();
        const listed = new Map<string, string[]>();
        let isFirst = true;
        for (const step of steps) {
          if (step.kind === 'end') {
            server.end(step.holder);
            listed.delete(step.holder);
          } else if (step.kind === 'accept') {
            const waiting = server
              .memory()
              .held.map(({ definition }) => `${definition.name} ${definition.description}`);
            server.accept(step.holder);
            for (const each of waiting) agreed.add(each);
          } else {
            await server.list(step.holder, step.version, ...step.tools);
            const names = step.tools.map(({ name, description }) => `${name} ${description}`);
            listed.set(step.holder, names);
            if (isFirst) for (const each of names) agreed.add(each);
            isFirst = false;
          }
          for (const [each, names] of listed) {
            const active = server
              .drafts(each)
              .filter(({ status }) => status === 'active')
              .map(({ accepted }) => `${accepted?.name} ${accepted?.description}`);
            for (const one of active) {
              expect(agreed).toContain(one);
              expect(names).toContain(one);
            }
            // What running processes list and the user has just accepted can be called.
            if (step.kind === 'accept') expect(active.toSorted()).toEqual(names.toSorted());
          }
        }
      }),
      { numRuns: 300 },
    );
  });
});
