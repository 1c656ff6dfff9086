import { expect, it } from 'vitest';
import { isSafePattern } from './safe-pattern.ts';

it.each([
  '^[a-z]+$',
  '^[a-z0-9-]{1,63}$',
  '^[a-z]+(-[a-z]+)*$',
  '^\\d{4}-\\d{2}-\\d{2}$',
  '^[0-9a-f]{8}-[0-9a-f]{4}$',
  '^(get|put|post)$',
  '^(get|gets)$',
  '^https?://[^/]+/\\S*$',
  '^\\d+(\\.\\d+)?$',
  '\\d+',
  'item-[0-9]+',
  '^\\p{Lu}$',
  '^$|^[a-z]+$',
  '^[^\\s@]+@[a-z]+$',
  '^[\\w.-]{2,}$',
  '^a{3,}b$',
])('%s is tried', (pattern) => {
  expect(isSafePattern(pattern)).toBe(true);
});

it.each([
  ['a repetition in a repetition', '^(a+)+$'],
  ['one that may be empty in a repetition', '^(a*)*b$'],
  ['branches that overlap in a repetition', '^(a|a)*$'],
  ['branches that overlap in part', '^(a|[ab])+$'],
  ['neighbours that overlap', '^\\d+\\d+$'],
  ['neighbours that overlap with an option between', '^\\s*x?\\s*$'],
  ['anything before a character', '^.*=.*$'],
  ['many options', `^${'a?'.repeat(30)}${'a'.repeat(30)}$`],
  ['many branches', `^${'(a|a)'.repeat(40)}$`],
  ['many ways to be nothing', `^${'(a?|b?)'.repeat(40)}c$`],
  ['a repetition that is searched from each place', 'a+b'],
  ['a back reference', '^(a)\\1$'],
  ['a named back reference', '^(?<x>a)\\k<x>$'],
  ['looking ahead', '^(?=.*a)b$'],
  ['looking behind', '(?<=a)b'],
  ['a count beyond measure', '^(a{1,500}){1,500}$'],
  ['a pattern beyond measure', `^${'a'.repeat(600)}$`],
  ['no pattern at all', '['],
  ['no string', 5 as unknown as string],
])('%s is not tried: %s', (_name, pattern) => {
  expect(isSafePattern(pattern)).toBe(false);
});

it('whatever is called safe ends soon on long texts that almost fit', () => {
  const atoms = [
    'a',
    'b',
    '[ab]',
    '.',
    'a+',
    'a*',
    'b?',
    '(a|b)',
    '(a|ab)',
    '(a+|b)*',
    '(ab)+',
    '(a?b)*',
    '(a*)+',
    'b{2,4}',
  ];
  const texts = ['a'.repeat(20_000), 'ab'.repeat(10_000), `${'a'.repeat(20_000)}c`, `${'ab'.repeat(10_000)}c`];
  let safe = 0;
  for (const one of atoms)
    for (const two of atoms)
      for (const three of atoms)
        for (const pattern of [`^${one}${two}${three}$`, `${one}${two}${three}`, `^(${one}${two}|${three})*c$`]) {
          if (!isSafePattern(pattern)) continue;
          safe += 1;
          const regex = new RegExp(pattern, 'u');
          const begun = performance.now();
          for (const text of texts) regex.test(text);
          // An unsafe one of these takes seconds to years; a safe one fractions of a millisecond.
          expect(performance.now() - begun, pattern).toBeLessThan(1_000);
        }
  expect(safe).toBeGreaterThan(100);
});
