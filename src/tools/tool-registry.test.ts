import { expect, test } from 'vitest';
import { HubError } from '../base/hub-error.ts';
import { silentLogger } from '../base/logger.ts';
import type { SourceProblem, SourceSnapshot } from '../base/source.ts';
import { defineTool, type Tool } from './tool.ts';
import { ToolRegistry, type ToolSource } from './tool-registry.ts';

function tool(name: string, description = '', origin = 'code'): Tool {
  return defineTool({ name, description, origin, input: { jsonSchema: { type: 'object' } }, run: () => ({}) });
}

/** A source whose tools the test sets. */
class TestSource implements ToolSource {
  #snapshot: SourceSnapshot<Tool>;
  #listeners = new Set<() => void>();

  constructor(...tools: Tool[]) {
    this.#snapshot = { entries: tools, problems: [] };
  }

  snapshot(): SourceSnapshot<Tool> | Promise<SourceSnapshot<Tool>> {
    return this.#snapshot;
  }

  watch(onChange: () => void): () => void {
    this.#listeners.add(onChange);
    return () => this.#listeners.delete(onChange);
  }

  set(tools: Tool[], problems: SourceProblem[] = []): void {
    this.#snapshot = { entries: tools, problems };
    this.notify();
  }

  notify(): void {
    for (const listener of this.#listeners) listener();
  }

  get listeners(): number {
    return this.#listeners.size;
  }
}

function shown(registry: ToolRegistry): string[] {
  return registry.list().map(({ name, description }) => `${name} ${description}`.trim());
}

/** Records the list of tools after each change. */
function changesOf(registry: ToolRegistry): string[][] {
  const seen: string[][] = [];
  registry.changes.on(() => seen.push(shown(registry)));
  return seen;
}

test("a source's update is one change; a new version of a tool replaces the old one without a gap", () => {
  const registry = new ToolRegistry();
  const [b, c] = [tool('b'), tool('c')];
  const source = new TestSource(tool('a', 'one'), b, c);
  void registry.add(source);
  const seen = changesOf(registry);
  source.set([tool('a', 'two'), c, tool('d')]);
  expect(seen).toEqual([['a two', 'c', 'd']]);
  source.set([...registry.list()]);
  source.notify();
  expect([seen.length, registry.revision]).toEqual([1, 2]);
});

test('a name stays with its first tool, and the duplicate is a problem until the name is free', () => {
  const registry = new ToolRegistry();
  const told: number[] = [];
  registry.problemChanges.on(() => told.push(registry.problems().length));
  const remove = registry.register(tool('a', 'first', 'code'));
  const script = new TestSource(tool('a', 'second', 'a.lua'), tool('b', 'second', 'b.lua'));
  void registry.add(script);
  const server = new TestSource(tool('a', 'third', 'server x'));
  void registry.add(server);
  expect(shown(registry)).toEqual(['a first', 'b second']);
  expect(registry.problems()).toEqual([
    {
      place: 'a.lua',
      message: 'Two tools are called "a": one from code, one from a.lua. Rename one of them.',
    },
    {
      place: 'server x',
      message: 'Two tools are called "a": one from code, one from server x. Rename one of them.',
    },
  ]);
  const seen = changesOf(registry);
  remove();
  script.set([]);
  expect(seen).toEqual([['b second', 'a second'], ['a third']]);
  expect(registry.problems()).toEqual([]);
  expect(told).toEqual([1, 2, 1, 0]);
});

test('if a source has two tools with the same name, the first one wins', () => {
  const registry = new ToolRegistry();
  const source = new TestSource(tool('a', 'one'), tool('a', 'two'));
  void registry.add(source);
  expect(shown(registry)).toEqual(['a one']);
  expect(registry.taken(source).map(({ tool: { description }, holder }) => [description, holder.description])).toEqual([
    ['two', 'one'],
  ]);
});

test('a source may describe the omitted tools in its own words', () => {
  const registry = new ToolRegistry();
  registry.register(tool('a'), tool('b'));
  const describeTaken: ToolSource['describeTaken'] = (taken) =>
    taken.length === 0 ? [] : [{ place: 'here', message: `${taken.length} left out.` }];
  void registry.add(Object.assign(new TestSource(tool('a'), tool('b')), { describeTaken }));
  expect(registry.problems()).toEqual([{ place: 'here', message: '2 left out.' }]);
});

test("a source's problems are reported only when they change", () => {
  const registry = new ToolRegistry();
  const source = new TestSource(tool('a'));
  void registry.add(source);
  let told = 0;
  registry.problemChanges.on(() => {
    told += 1;
  });
  const broken = { place: 'a.lua', message: 'broken' };
  source.set(registry.list(), [broken]);
  source.set([tool('a', 'new')], [{ ...broken }]);
  expect([told, registry.problems()]).toEqual([1, [broken]]);
});

test('a slow read that a later one has overtaken changes nothing', async () => {
  const registry = new ToolRegistry();
  const looks: ((snapshot: SourceSnapshot<Tool>) => void)[] = [];
  const slow = Object.assign(new TestSource(), {
    snapshot: () => new Promise<SourceSnapshot<Tool>>((resolve) => looks.push(resolve)),
  });
  const first = registry.add(slow);
  slow.notify();
  looks[1]?.({ entries: [tool('a', 'new')], problems: [] });
  looks[0]?.({ entries: [tool('a', 'old')], problems: [] });
  await first;
  expect(shown(registry)).toEqual(['a new']);
});

test('removing a source removes its tools, and a read that finishes later is ignored', async () => {
  const registry = new ToolRegistry();
  const { promise, resolve } = Promise.withResolvers<SourceSnapshot<Tool>>();
  const source = new TestSource(tool('a'));
  void registry.add(source);
  const late = Object.assign(new TestSource(), { snapshot: () => promise });
  const added = registry.add(late);
  registry.remove(source);
  registry.remove(late);
  registry.remove(late);
  resolve({ entries: [tool('b')], problems: [] });
  await added;
  expect([registry.size, source.listeners, late.listeners]).toEqual([0, 0, 0]);
});

test('a source that cannot be read keeps its tools, and the log says so', async () => {
  const { promise: logged, resolve } = Promise.withResolvers<unknown>();
  const registry = new ToolRegistry({ logger: { ...silentLogger, warn: (_, message) => resolve(message) } });
  const source = new TestSource(tool('a'));
  void registry.add(source);
  source.snapshot = async () => Promise.reject(new Error('gone'));
  source.notify();
  expect(await logged).toBe('the tools of a source could not be read; the previous ones stay');
  expect(shown(registry)).toEqual(['a']);
});

test('either all tools are registered or none, and no name is used twice', () => {
  const registry = new ToolRegistry();
  registry.register(tool('a'));
  expect(() => registry.register(tool('b'), tool('a', '', 'me'))).toThrow(
    'Two tools are called "a": one from code, one from me.',
  );
  expect(() => registry.register(tool('c'), tool('c'))).toThrow('Two tools are called "c"');
  expect(shown(registry)).toEqual(['a']);
});

test('a source explains why its tools are absent', () => {
  const registry = new ToolRegistry();
  const whyAbsent = (name: string) => (name === 'a' ? new HubError('UNAVAILABLE', 'off') : undefined);
  const source = Object.assign(new TestSource(), { whyAbsent });
  void registry.add(source);
  expect([registry.whyAbsent('a')?.message, registry.whyAbsent('b')]).toEqual(['off', undefined]);
  registry.remove(source);
  expect(registry.whyAbsent('a')).toBeUndefined();
});

test('closing stops watching and closes every source', async () => {
  const registry = new ToolRegistry();
  const closed: string[] = [];
  const source = Object.assign(new TestSource(tool('a')), { close: async () => void closed.push('source') });
  void registry.add(source);
  await registry.close();
  expect([closed, source.listeners]).toEqual([['source'], 0]);
});
