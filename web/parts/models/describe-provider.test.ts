import { expect, it } from 'vitest';
import { keyAction, keyPromise, keyWords, modelNames } from './describe-provider.ts';

const baseUrl = 'https://gate.example/v1';

it.each([
  ['config', 'Key from config', undefined],
  ['environment', 'Key from environment', undefined],
  ['vault', 'Key stored encrypted', 'Replace key'],
  ['none', 'No key', 'Set key'],
  ['not-needed', 'No key needed', 'Set key'],
] as const)('a key of kind %s reads "%s" and offers %s', (key, words, action) => {
  expect(keyWords({ key })).toBe(words);
  expect(keyAction({ key, type: 'openai-compatible', baseUrl })).toBe(action);
});

it('Ollama takes no key, unless one was saved for another address', () => {
  expect(keyAction({ key: 'not-needed', type: 'ollama', baseUrl })).toBeUndefined();
  expect(keyAction({ key: 'none', type: 'ollama', baseUrl })).toBe('Set key');
});

it('a provider without an address takes no key yet', () => {
  expect(keyAction({ key: 'not-needed', type: 'openai-compatible', baseUrl: null })).toBeUndefined();
});

it('the dialog says where a key goes', () => {
  expect(keyPromise({ baseUrl })).toContain('sent only to https://gate.example/v1.');
});

it('models have full names and are found by their words', () => {
  const models = ['gpt-5', 'gpt-5-mini', 'o4'];
  expect(modelNames('openai', models, '')).toEqual(['openai/gpt-5', 'openai/gpt-5-mini', 'openai/o4']);
  expect(modelNames('openai', models, 'MINI gpt')).toEqual(['openai/gpt-5-mini']);
});
