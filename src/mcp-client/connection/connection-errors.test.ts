import { expect, it } from 'vitest';
import { connectionError } from './connection-errors.ts';

function answered(status: number): Error {
  return Object.assign(new Error(`HTTP ${status}`), { data: { status } });
}

it.each([
  [answered(502), true],
  [answered(504), true],
  [answered(500), true],
  [answered(404), false],
  [answered(400), false],
  [Object.assign(new Error('x'), { code: 'ECONNREFUSED' }), false],
  [Object.assign(new Error('x'), { code: 'ECONNRESET' }), true],
  [new Error('cut'), true],
])('%s: whether the call may have run is %s', (error, mayHaveRun) => {
  expect(connectionError('files', error).details).toMatchObject({ mayHaveRun });
});
