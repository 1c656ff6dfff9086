import { expect, it } from 'vitest';
import { describeDue } from './task-plan.tsx';

const now = new Date(2027, 2, 30, 23, 30);

it.each([
  ['2027-03-01', '29 days overdue', 'danger'],
  ['2027-03-29', 'Due yesterday', 'danger'],
  ['2027-03-30', 'Due today', 'warn'],
  ['2027-03-31', 'Due tomorrow', 'warn'],
  ['2027-04-03', 'Due in 4 days', 'neutral'],
] as const)('a task due on %s is described as "%s"', (dueDate, text, tone) => {
  expect(describeDue(dueDate, now)).toEqual({ text, tone });
});

it('a day that is further away is named, with its year if that is another one', () => {
  expect(describeDue('2027-06-09', now).text).not.toContain('2027');
  expect(describeDue('2028-06-09', now).text).toContain('2028');
});
