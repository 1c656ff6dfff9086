import { expect, it } from 'vitest';
import { sizeName } from './size-name.ts';

it('a size has a unit that people read', () => {
  const sizes = [12, 3_000, 2.5 * 1024 * 1024, 5 * 1024 * 1024];
  expect(sizes.map(sizeName)).toEqual(['12 bytes', '3 KB', '2.5 MB', '5 MB']);
});
