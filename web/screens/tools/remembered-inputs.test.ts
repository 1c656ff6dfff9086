import { expect, it } from 'vitest';
import { inputsOf, rememberInput } from './remembered-inputs.ts';

it('the last ten inputs of each tool are kept, newest first, without duplicates', () => {
  for (let index = 0; index < 12; index += 1) rememberInput('search', { query: index });
  rememberInput('search', { query: 5 });
  rememberInput('get', { id: 1 });
  expect(inputsOf('search').map((json) => JSON.parse(json).query)).toEqual([5, 11, 10, 9, 8, 7, 6, 4, 3, 2]);
  expect(inputsOf('get')).toEqual(['{"id":1}']);
  expect(inputsOf('other')).toEqual([]);
});
