import { expect, test } from 'vitest';
import { defineTool } from './tool.ts';
import { ToolRegistry } from './tool-registry.ts';

function tool(name: string, description: string) {
  return defineTool({ name, description, input: { jsonSchema: { type: 'object' } }, run: () => ({}) });
}

test('a tool is replaced in its place, with one change and no moment without it', () => {
  const registry = new ToolRegistry();
  const first = tool('a', 'one');
  registry.register(first);
  registry.register(tool('b', 'other'));
  const seen: string[][] = [];
  registry.changes.on(() => seen.push(registry.list().map(({ description }) => description)));
  const remove = registry.replace(first, tool('a', 'two'));
  expect(seen).toEqual([['two', 'other']]);
  remove();
  expect(registry.list().map(({ name }) => name)).toEqual(['b']);
});

test('a tool that is not there any more cannot be replaced', () => {
  const registry = new ToolRegistry();
  const gone = tool('a', 'one');
  registry.register(gone)();
  expect(() => registry.replace(gone, tool('a', 'two'))).toThrow(/The tool "a" from code is not there/);
  expect(registry.size).toBe(0);
});

test('many are exchanged with one change; a taken name stays with who has it', () => {
  const registry = new ToolRegistry();
  const [a, b, c] = [tool('a', 'one'), tool('b', 'one'), tool('c', 'other')];
  registry.registerAll([a, b, c]);
  let changes = 0;
  registry.changes.on(() => {
    changes += 1;
  });
  const mine = tool('c', 'mine');
  expect(registry.exchange([a, b], [tool('a', 'two'), mine, tool('d', 'new')])).toEqual([mine]);
  expect(registry.list().map(({ name, description }) => `${name} ${description}`)).toEqual([
    'a two',
    'c other',
    'd new',
  ]);
  expect(registry.exchange([b], [])).toEqual([]);
  expect(changes).toBe(1);
});
