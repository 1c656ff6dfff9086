import { expect, it } from 'vitest';
import { markWords, plainSnippet } from './mark-words.ts';

const marked = (text: string, searchText: string) =>
  markWords(text, searchText)
    .map((part) => (part.isMarked ? `[${part.text}]` : part.text))
    .join('');

it.each([
  ['The ledger and the Ledgers', 'ledger', 'The [ledger] and the [Ledger]s'],
  ['Roll back first', 'back roll', '[Roll] [back] first'],
  ['a ledgers b', 'ledger ledgers', 'a [ledgers] b'],
  ['Größe zählt', 'größe', '[Größe] zählt'],
  ['1 + 1 (2)', '(1 +', '[1] + [1] (2)'],
  ['ending and end', 'end', '[end]ing and [end]'],
  ['bend and end', 'end', 'bend and [end]'],
  ['**bold** stays', 'stays', '**bold** [stays]'],
  ['nothing', '  ', 'nothing'],
  ['', 'x', ''],
])('in “%s” the words of “%s” are marked', (text, searchText, shown) => {
  expect(marked(text, searchText)).toBe(shown);
});

it('a snippet is shown without Markdown marks', () => {
  expect(plainSnippet('since **14:05** the `ledger_writer` 2 * 3')).toBe('since 14:05 the ledger_writer 2 * 3');
});
