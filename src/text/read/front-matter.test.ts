import { expect, it } from 'vitest';
import { readLines } from '../text-lines.ts';
import { readFrontMatter } from './front-matter.ts';

const none = { title: null, tags: [], metadata: {}, lines: 0 };

it.each([
  [
    'YAML',
    '---\ntitle: "A: b"\ntags: [one, "two, three"]\ndate: 2026-01-02\nweight: 3\ndraft: false # soon\n---\nText',
    { title: 'A: b', tags: ['one', 'two, three'], metadata: { date: '2026-01-02', weight: 3, draft: false }, lines: 7 },
  ],
  ['a list in lines', '---\ntags:\n  - a\n  - "#b"\n---\n', { ...none, tags: ['a', 'b'], lines: 5 }],
  [
    'a list with commas',
    "---\ntags: a, b ,a\ntitle: 'it''s'\n---",
    { ...none, title: "it's", tags: ['a', 'b'], lines: 4 },
  ],
  [
    'TOML',
    '+++\ntitle = "T"\ntags = ["x", "y"]\nauthor = "Me"\n[extra]\ntitle = "no"\n+++\n',
    { title: 'T', tags: ['x', 'y'], metadata: { author: 'Me' }, lines: 7 },
  ],
  ['deeper values, which are left out', '---\na:\n  b: c\nd: |\n  text\n---\n', { ...none, lines: 6 }],
  ['a hostile key', '---\n__proto__: x\ntitle: t\n---\n', { ...none, title: 't', lines: 4 }],
  ['a rule, a sentence and a rule', '---\nJust some words\n---\n', none],
  ['two rules', '---\n\n---\n', none],
  ['a rule that nothing ends', '---\ntitle: x\n\ntext', none],
  ['a text without any', 'title: x\n---\n', none],
])('reads %s', (_, text, expected) => {
  expect(readFrontMatter(readLines(text))).toEqual(expected);
});
