import { expect, it } from 'vitest';
import { chatSearch } from './chat-search.ts';

it('the chat URL keeps only valid search parameters', () => {
  expect(chatSearch({ q: 'invoice', agent: 'clerk', kind: 'test', with: 'owl', run: 'run_1', more: 1 })).toEqual({
    q: 'invoice',
    agent: 'clerk',
    kind: 'test',
    with: 'owl',
    run: 'run_1',
  });
  expect(chatSearch({ q: '', agent: 3, kind: 'mail' })).toEqual({});
});
