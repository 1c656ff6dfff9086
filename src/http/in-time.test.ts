import { expect, it } from 'vitest';
import { inTime } from './app.ts';
import { toErrorReply } from './to-error-response.ts';

const never = () => new Promise<never>(() => {});

it.each([
  ['GET', true, 'Try again later.'],
  ['POST', false, 'It may still take effect: check before you try again.'],
])('a %s that times out gets an error that says whether to try again', async (method, retryable, advice) => {
  const failure = await inTime(never(), { method, path: '/api/agents' }, 1).catch((error: unknown) => error);
  const { status, headers, body } = toErrorReply(failure);
  expect([status, body.error.retryable, headers['retry-after']]).toEqual([503, retryable, retryable ? '1' : undefined]);
  expect(body.error.message).toBe(`${method} /api/agents did not finish within 0.001 s. ${advice}`);
});

it('a reply or error that arrives in time is passed on', async () => {
  expect(await inTime(Promise.resolve('reply'), { method: 'GET', path: '/' })).toBe('reply');
  await expect(inTime(Promise.reject(new Error('no')), { method: 'GET', path: '/' })).rejects.toThrow('no');
});
