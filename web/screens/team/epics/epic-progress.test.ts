import { expect, it } from 'vitest';
import { epicProgress } from './epic-progress.ts';

const none = { PENDING: 0, ASSIGNED: 0, IN_PROGRESS: 0, REVIEW: 0, BLOCKED: 0, COMPLETED: 0, FAILED: 0 };

it('completed tasks come first, pending ones last, and the shares add up to one', () => {
  const progress = epicProgress({ ...none, PENDING: 4, IN_PROGRESS: 1, COMPLETED: 3 });
  expect(progress).toEqual({
    total: 8,
    done: 3,
    parts: [
      { state: 'COMPLETED', count: 3, share: 0.375 },
      { state: 'IN_PROGRESS', count: 1, share: 0.125 },
      { state: 'PENDING', count: 4, share: 0.5 },
    ],
  });
});

it('an epic without tasks has no parts', () => {
  expect(epicProgress(none)).toEqual({ total: 0, done: 0, parts: [] });
});
