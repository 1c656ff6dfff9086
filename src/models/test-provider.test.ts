import { expect, it } from 'vitest';
import { systemClock } from '../base/clock.ts';
import type { Model } from '../engine/model.ts';
import type { ProviderAccess } from './language-models.ts';
import type { Outcome } from './seen-states.ts';
import { testProvider } from './test-provider.ts';

const access: ProviderAccess = {
  name: 'lab',
  type: 'openai-compatible',
  baseUrl: 'http://127.0.0.1:9/v1',
  apiKey: undefined,
  settings: { type: 'openai-compatible' },
};

/** Never answers, and ends with its signal. */
const silent: Model = {
  provider: 'lab',
  modelId: 'slow',
  price: undefined,
  async *stream({ signal }) {
    yield* await new Promise<[]>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  },
};

it('a model that does not answer in time has failed', async () => {
  const outcomes: Outcome[] = [];
  const { failure, answeredBy } = await testProvider(
    {
      access,
      list: async () => ({ models: ['slow'], facts: {} }),
      load: async () => silent,
      record: async (outcome) => void outcomes.push(outcome),
      clock: systemClock,
      preferred: 'slow',
      answerTimeoutMs: 1,
    },
    { signal: new AbortController().signal },
  );
  expect(answeredBy).toBeNull();
  expect(failure).toMatchObject({ step: 'answer', code: 'TIMEOUT', reason: 'timeout' });
  expect(outcomes).toMatchObject([{ error: { details: { reason: 'timeout' } } }]);
});
