import { expect, it } from 'vitest';
import {
  adviceFor,
  keyAction,
  keyPromise,
  keyWords,
  missingWords,
  modelAdvice,
  modelNames,
} from './describe-provider.ts';

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

it('a card says where else a key can be set, or what else is missing', () => {
  const keyPlaces = ['OPENAI_API_KEY in the environment', '[providers.openai] api_key in the config'];
  expect(missingWords({ hint: 'Provider "openai" has no key.', keyPlaces })).toBe(
    'You can also set OPENAI_API_KEY in the environment or [providers.openai] api_key in the config.',
  );
  expect(missingWords({ hint: 'Provider "x" has no address.', keyPlaces: [] })).toBe('Provider "x" has no address.');
  expect(missingWords({ hint: null, keyPlaces: [] })).toBe(null);
});

it.each([
  ['key', 'Correct the key in Models, then try again.'],
  ['address', 'Correct the address in Models, then try again.'],
  ['unreachable', 'Start the server if it is yours, or correct its address in Models. Then try again.'],
  ['rate', 'Try again in a moment, or choose another model.'],
  ['model', 'Choose another model.'],
  [null, 'Choose another model.'],
] as const)('the advice about a model that did not answer (%s) fits the reason', (reason, advice) => {
  expect(modelAdvice(reason, 'in Models')).toBe(advice);
});

it('the advice is about an address only where one can be corrected', () => {
  const advice = (type: 'openai' | 'openai-compatible', address: string) =>
    adviceFor({ type, address }, { reason: 'unreachable' });
  expect(advice('openai', '')).toContain('Check the network connection');
  expect(advice('openai', baseUrl)).toContain('Correct the address above');
  expect(advice('openai-compatible', baseUrl)).toContain('Correct the address above');
});
