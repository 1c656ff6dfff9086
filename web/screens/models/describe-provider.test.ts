import { expect, it } from 'vitest';
import { keyAction, keyWords, modelNames } from './describe-provider.ts';

it.each([
  ['config', 'key from the config', undefined],
  ['environment', 'key from the environment', undefined],
  ['vault', 'key stored here, encrypted', 'Replace key'],
  ['none', 'no key', 'Set key'],
  ['not-needed', 'needs no key', 'Set key'],
] as const)('a key of kind %s is called "%s", and offers: %s', (key, words, action) => {
  expect(keyWords({ key })).toBe(words);
  expect(keyAction({ key, type: 'openai-compatible' })).toBe(action);
});

it('Ollama takes no key', () => {
  expect(keyAction({ key: 'not-needed', type: 'ollama' })).toBeUndefined();
});

it('models have the names that agents use, and are found by words of them', () => {
  const models = ['gpt-5', 'gpt-5-mini', 'o4'];
  expect(modelNames('openai', models, '')).toEqual(['openai/gpt-5', 'openai/gpt-5-mini', 'openai/o4']);
  expect(modelNames('openai', models, 'MINI gpt')).toEqual(['openai/gpt-5-mini']);
});
