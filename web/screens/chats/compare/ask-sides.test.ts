import { expect, it } from 'vitest';
import { ApiError } from '../../../api/client.ts';
import { askSides, type Side } from './ask-sides.ts';

it('a side that fails does not stop the other one, and only the failed side gets the message again', async () => {
  const asked: string[] = [];
  let isDown = true;
  const ask = (text: string) => async (side: Side) => {
    asked.push(`${side} ${text}`);
    if (side === 'left' && isDown) throw new ApiError(503, { code: 'unavailable', message: 'Busy.' });
  };
  const first = await askSides('Hello', null, ask('Hello'));
  expect(first.failures).toEqual([{ side: 'left', code: 'unavailable', message: 'Busy.' }]);
  isDown = false;
  const second = await askSides('Hello', first.delivery, ask('Hello'));
  expect(second.failures).toEqual([]);
  expect(asked).toEqual(['left Hello', 'right Hello', 'left Hello']);
  await askSides('Next', second.delivery, ask('Next'));
  expect(asked.slice(3)).toEqual(['left Next', 'right Next']);
});
