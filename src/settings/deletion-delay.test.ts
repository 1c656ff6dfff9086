import { expect, it } from 'vitest';
import { deletionDelay } from './deletion-delay.ts';

it.each([
  [30, 'within 30 seconds'],
  [3_600, 'within 60 minutes'],
  [undefined, 'soon'],
])('with %j seconds between two looks, history is deleted %s', (value, text) => {
  const settings = value === undefined ? [] : [{ key: 'team.reconcile_every_secs' as const, value }];
  expect(deletionDelay(settings)).toBe(text);
});
