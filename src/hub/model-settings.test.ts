import { expect, it } from 'vitest';
import { modelSettings } from './model-settings.ts';

it('settings of an agent are read in snake case and in camel case', () => {
  expect(modelSettings({ max_tokens: 100, temperature: 0, top_p: 0.5, stop: ['END', 3], other: true })).toEqual({
    maxOutputTokens: 100,
    temperature: 0,
    topP: 0.5,
    topK: undefined,
    seed: undefined,
    stopSequences: ['END'],
    providerOptions: undefined,
  });
  expect(modelSettings({ maxOutputTokens: 7, providerOptions: { openai: { reasoningEffort: 'low' } } })).toMatchObject({
    maxOutputTokens: 7,
    providerOptions: { openai: { reasoningEffort: 'low' } },
  });
});
