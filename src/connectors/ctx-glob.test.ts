import { expect, it } from 'vitest';
import { compileCtxGlob } from './ctx-glob.ts';

it.each<[glob: string, matching: string[], other: string[]]>([
  ['README.md', ['README.md'], ['docs/README.md', 'readme.md', 'README.mdx']],
  ['*.md', ['a.md', 'docs/deep/a.md', '.md'], ['a.txt', 'a.md/b']],
  ['docs/*.md', ['docs/a.md', 'docs/deep/a.md'], ['a.md', 'other/docs/a.md']],
  ['**/*.md', ['a.md', 'a/b/c.md'], ['a.txt']],
  ['**/docs/**', ['docs/a', 'x/docs/a/b'], ['docs', 'xdocs/a', 'docs2/a']],
  ['docs/**', ['docs/a', 'docs/a/b'], ['docs', 'x/docs/a']],
  ['a/**/b', ['a/b', 'a/x/b', 'a/x/y/b'], ['a/xb', 'ab']],
  ['**', ['a', 'a/b'], []],
  ['a?c', ['abc', 'a/c', 'a日c'], ['ac', 'abbc']],
  ['[a-c]*.{md,txt}', ['a.md', 'c/x.txt'], ['d.md', 'a.rs']],
  ['[!a]x', ['bx'], ['ax', 'x']],
  ['[]x]', [']', 'x'], ['[']],
  ['{a,b{c,d}}.md', ['a.md', 'bc.md', 'bd.md'], ['b.md']],
  ['a\\*b', ['a*b'], ['axb']],
  ['x**/y', ['x/y', 'xa/b/y'], ['y']],
  ['(a).md+', ['(a).md+'], ['a.md', 'a.mdd']],
])('%s', (glob, matching, other) => {
  const matches = compileCtxGlob(glob);
  expect(matching.filter((path) => !matches(path))).toEqual([]);
  expect(other.filter(matches)).toEqual([]);
});

it('takes little time for any glob and path', () => {
  const matches = compileCtxGlob(`**/${'*a'.repeat(50)}/**/${'*a'.repeat(50)}b`);
  const start = performance.now();
  expect(matches(`${'a'.repeat(100)}/`.repeat(40))).toBe(false);
  expect(performance.now() - start).toBeLessThan(3_000);
});

it('refuses a glob with too many alternatives', () => {
  expect(() => compileCtxGlob('{a,b}'.repeat(30))).toThrow(/has more than 256 alternatives/);
});
