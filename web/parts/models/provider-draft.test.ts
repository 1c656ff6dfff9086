import { expect, it } from 'vitest';
import type { ProviderInfo } from '../../../src/models/language-models.ts';
import { changeOf, emptyDraft, missingIn, suggestedName } from './provider-draft.ts';

const known: ProviderInfo = {
  name: 'openai',
  type: 'openai',
  baseUrl: 'https://api.openai.com/v1',
  from: 'built-in',
  version: null,
  key: 'none',
  isReady: false,
  hint: null,
  seen: { state: 'never' },
};

it.each([
  ['openai', 'https://gate.example/v1', 'openai'],
  ['openai-compatible', '', 'local'],
  ['openai-compatible', 'http://127.0.0.1:1234/v1', 'local'],
  ['openai-compatible', 'http://[::1]:1234/v1', 'local'],
  ['openai-compatible', 'https://openrouter.ai/api/v1', 'openrouter'],
  ['openai-compatible', 'https://api.mistral.ai/v1', 'mistral'],
] as const)('%s at "%s" is called %s', (type, address, name) => {
  expect(suggestedName({ type, address })).toBe(name);
});

it('a well-known provider at its own address gets only a key', () => {
  expect(changeOf({ ...emptyDraft, key: ' sk-1 ' }, known)).toEqual({
    kind: 'key',
    name: 'openai',
    key: 'sk-1',
    baseUrl: known.baseUrl,
  });
  expect(changeOf(emptyDraft, known)).toEqual({ kind: 'none', name: 'openai' });
});

it('another address is saved with its key', () => {
  const draft = { ...emptyDraft, address: 'https://gate.example/v1', key: 'sk-1' };
  expect(changeOf(draft, known)).toEqual({
    kind: 'provider',
    name: 'openai',
    input: { type: 'openai', baseUrl: 'https://gate.example/v1', key: 'sk-1', version: null },
  });
});

it.each([
  [{}, undefined, 'key'],
  [{ key: 'sk-1' }, undefined, null],
  [{}, { ...known, key: 'environment' as const }, null],
  [{ type: 'ollama' as const }, undefined, null],
  [{ type: 'openai-compatible' as const }, undefined, 'address'],
  [{ type: 'openai-compatible' as const, address: 'http://127.0.0.1:1/v1' }, undefined, null],
])('in %j with %j, %s is missing', (draft, provider, missing) => {
  expect(missingIn({ ...emptyDraft, ...draft }, provider)).toBe(missing);
});
