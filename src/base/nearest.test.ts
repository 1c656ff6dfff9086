import { expect, test } from 'vitest';
import { nearest } from './nearest.ts';

const names = ['serve', 'status', 'mcp', 'agent', 'code-reviewer', 'backup'];

test.each([
  ['srve', 'serve'],
  ['sevre', 'serve'],
  ['Agent', 'agent'],
  ['reviewer', 'code-reviewer'],
  ['code-revewer', 'code-reviewer'],
  ['bakcup', 'backup'],
])('%s probably means %s', (typed, name) => {
  expect(nearest(typed, names)).toBe(name);
});

test.each(['', 'x', 'unrelated', 'a'.repeat(1_000_000)])('an unrelated word has no nearest name', (typed) => {
  expect(nearest(typed, names)).toBeUndefined();
});
