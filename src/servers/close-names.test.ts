import { expect, it } from 'vitest';
import { findCloseNames } from './close-names.ts';

function close(one: string, other: string): boolean {
  const names = [
    { server: 'a', tool: one },
    { server: 'b', tool: other },
  ];
  const find = findCloseNames(names);
  const found = find({ server: 'a', tool: one });
  // Whoever is close to another, the other is close to.
  expect(find({ server: 'b', tool: other }).length).toBe(found.length);
  return found.length > 0;
}

it.each([
  ['search', 'search'],
  ['read_file', 'readFile'],
  ['read-file', 'read_file'],
  ['Search', 'search'],
  ['search', 'serch'],
  ['search', 'searchh'],
  ['search', 'seanch'],
  ['get_issue', 'get_issues'],
])('%s can be taken for %s', (one, other) => {
  expect(close(one, other)).toBe(true);
});

it.each([
  ['get', 'set'],
  ['list', 'last'],
  ['search', 'source'],
  ['read_file', 'write_file'],
  ['search', 'searching'],
  ['abcde', 'badce'],
])('%s cannot be taken for %s', (one, other) => {
  expect(close(one, other)).toBe(false);
});

it('tools of one server are told apart by who made it', () => {
  const find = findCloseNames([
    { server: 'a', tool: 'search' },
    { server: 'a', tool: 'search_' },
  ]);
  expect(find({ server: 'a', tool: 'search' })).toEqual([]);
});

it('ten thousand names are compared in a moment', () => {
  const names = Array.from({ length: 10_000 }, (_each, index) => ({
    server: `s${index % 7}`,
    tool: `tool_number_${index}_of_many`,
  }));
  // By the time this process had the processor, which a busy machine does not lengthen.
  const begun = process.cpuUsage();
  const find = findCloseNames(names);
  for (const name of names) find(name);
  expect(process.cpuUsage(begun).user / 1_000).toBeLessThan(10_000);
});
