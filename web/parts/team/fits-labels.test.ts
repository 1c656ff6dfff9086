import { expect, it } from 'vitest';
import { fitsLabels } from './fits-labels.ts';

it('too many labels, or one that is too long, do not fit', () => {
  expect(fitsLabels(Array.from({ length: 20 }, (_, index) => `label ${index}`))).toBe(true);
  expect(fitsLabels(Array.from({ length: 21 }, (_, index) => `label ${index}`))).toBe(false);
  expect(fitsLabels(['x'.repeat(51)])).toBe(false);
});
