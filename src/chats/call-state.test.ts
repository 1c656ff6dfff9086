import { expect, it } from 'vitest';
import { stateWords } from './call-state.ts';

it('an interrupted call that ran may have had its effect, one that waited had none', () => {
  expect(stateWords('running', true)).toBe('was running; it may have had its effect');
  expect(stateWords('waiting', true)).toBe('was not begun');
  expect(stateWords('running', false)).toBe('runs');
});
