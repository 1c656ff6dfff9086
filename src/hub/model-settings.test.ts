import { expect, it } from 'vitest';
import { maxTurns, modelSettings } from './model-settings.ts';

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

it('the turns of an answer are limited by the agent, if it says how many', () => {
  expect(maxTurns({ maxChatTurns: 3 })).toBe(3);
  expect(maxTurns({ max_chat_turns: 7.9 })).toBe(7);
  expect(maxTurns({ maxChatTurns: 5_000 })).toBe(1_000);
  for (const settings of [{}, { maxChatTurns: 0 }, { maxChatTurns: '3' }]) expect(maxTurns(settings)).toBeUndefined();
});
