import { expect, it } from 'vitest';
import { labelsIn } from './labels-in.ts';

it('labels are separated by commas, and each counts once', () => {
  expect(labelsIn(' security, backend,,security , two words ')).toEqual(['security', 'backend', 'two words']);
  expect(labelsIn('one\n two\r\n\none')).toEqual(['one', 'two']);
  expect(labelsIn('  ')).toEqual([]);
});
