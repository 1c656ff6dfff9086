import { expect, it } from 'vitest';
import { stateWords } from './call-state.ts';

it('an interrupted call may have had an effect if it was running, but not if it was waiting', () => {
  expect(stateWords('running', true)).toBe('was running; it may have taken effect');
  expect(stateWords('waiting', true)).toBe('was not started');
  expect(stateWords('running', false)).toBe('running');
});
