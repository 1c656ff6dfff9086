import fc from 'fast-check';
import { expect, test } from 'vitest';

test('generated cases are the same in every run, unless a seed is named', () => {
  const seed = Number(process.env.ZOO_TEST_SEED ?? 20_240_229);
  expect(fc.readConfigureGlobal()).toMatchObject({ seed });
  const samples = () => fc.sample(fc.integer(), 20);
  expect(samples()).toEqual(samples());
});
