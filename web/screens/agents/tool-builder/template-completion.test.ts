import { expect, it } from 'vitest';
import { openReferenceAt } from './template-completion.ts';

it.each<[text: string, found: string | undefined]>([
  ['Go to {de|', '{de|'],
  ['Go to {|', '{|'],
  ['Go to {de|st}, now', '{dest|}'],
  ['Go to {{de|', undefined],
  ['Go to {{{de|', '{de|'],
  ['Go to {a} de|', undefined],
  ['Go |{a}', undefined],
  ['{a|{b}', '{a|'],
  ['{trip.|', '{trip.|'],
])('%s', (text, found) => {
  const at = text.indexOf('|');
  const line = text.replace('|', '');
  const open = openReferenceAt(line, at);
  const shown = open && `{${line.slice(open.from, open.to)}|${open.isClosed ? '}' : ''}`;
  expect(shown).toBe(found);
  if (open) expect(open.typed).toBe(line.slice(open.from, at));
});
