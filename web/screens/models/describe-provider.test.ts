import { expect, it } from 'vitest';
import { keyAction, keyWords, modelNames } from './describe-provider.ts';

it.each([
  ['config', 'Key from config', undefined],
  ['environment', 'Key from environment', undefined],
  ['vault', 'Key stored encrypted', 'Replace key'],
  ['none', 'No key', 'Set key'],
  ['not-needed', 'No key needed', 'Set key'],
] as const)('a key of kind %s reads "%s" and offers %s', (key, words, action) => {
  expect(keyWords({ key })).toBe(words);
  expect(keyAction({ key, type: 'openai-compatible' })).toBe(action);
});

it('Ollama takes no key', () => {
  expect(keyAction({ key: 'not-needed', type: 'ollama' })).toBeUndefined();
});

it('models have full names and are found by their words', () => {
  const models = ['gpt-5', 'gpt-5-mini', 'o4'];
  expect(modelNames('openai', models, '')).toEqual(['openai/gpt-5', 'openai/gpt-5-mini', 'openai/o4']);
  expect(modelNames('openai', models, 'MINI gpt')).toEqual(['openai/gpt-5-mini']);
});
