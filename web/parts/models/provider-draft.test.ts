import { expect, it } from 'vitest';
import type { ProviderInfo } from '../../../src/models/language-models.ts';
import {
  changeOf,
  emptyDraft,
  keyHint,
  missingIn,
  nameOf,
  type ProviderDraft,
  suggestedName,
  takenName,
} from './provider-draft.ts';

const known: ProviderInfo = {
  name: 'openai',
  type: 'openai',
  baseUrl: 'https://api.openai.com/v1',
  from: 'built-in',
  version: null,
  key: 'none',
  isReady: false,
  hint: null,
  keyPlaces: [],
  prices: [],
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
  expect(suggestedName({ ...emptyDraft, type, address }, [])).toBe(name);
});

const local = {
  ...known,
  name: 'local',
  type: 'openai-compatible' as const,
  baseUrl: 'http://127.0.0.1:1234/v1',
  from: 'app' as const,
  version: 7,
  key: 'vault' as const,
};

it.each<[string, Partial<ProviderDraft>, string]>([
  ['another server on this machine', { type: 'openai-compatible', address: 'http://127.0.0.1:8000/v1' }, 'local-2'],
  ['the same server', { type: 'openai-compatible', address: 'http://127.0.0.1:1234/v1' }, 'local'],
  ['the same server with another key', { type: 'openai-compatible', address: local.baseUrl, key: 'sk-2' }, 'local-2'],
  ['a server that is not entered yet', { type: 'openai-compatible' }, 'local-2'],
  ['a well-known provider', { type: 'openai', key: 'sk-1' }, 'openai'],
  ['OpenAI as a compatible server', { type: 'openai-compatible', address: 'https://api.openai.com/v1' }, 'openai-2'],
])('%s does not replace another one', (_, fields, name) => {
  expect(nameOf({ ...emptyDraft, ...fields }, [known, local])).toBe(name);
});

it('a taken name is refused, unless it is that of the provider in the form', () => {
  const draft = {
    ...emptyDraft,
    type: 'openai-compatible' as const,
    name: 'local',
    address: 'http://127.0.0.1:8000/v1',
  };
  expect(takenName(draft, [known, local])).toBe('There is already a provider "local". Choose another name.');
  expect(takenName(draft, [known, local], 'local')).toBeNull();
  expect(nameOf({ ...draft, name: 'other' }, [known, local], 'local')).toBe('local');
  expect(changeOf(draft, 'local', local)).toMatchObject({
    name: 'local',
    trial: { kind: 'provider', input: { version: 7 } },
  });
});

it('a well-known provider at its own address gets only a key', () => {
  expect(changeOf({ ...emptyDraft, key: ' sk-1 ' }, 'openai', known)).toEqual({
    name: 'openai',
    trial: { kind: 'key', key: 'sk-1', baseUrl: known.baseUrl },
  });
  expect(changeOf(emptyDraft, 'openai', known)).toEqual({ name: 'openai', trial: null });
});

it('another address is saved with its key', () => {
  const draft = { ...emptyDraft, address: 'https://gate.example/v1', key: 'sk-1' };
  expect(changeOf(draft, 'openai', known)).toEqual({
    name: 'openai',
    trial: {
      kind: 'provider',
      input: { type: 'openai', baseUrl: 'https://gate.example/v1', key: 'sk-1', version: null },
    },
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

it.each([
  ['vault', '', 'A key is already set. Leave empty to keep it.'],
  ['vault', 'sk-1', null],
  ['none', '', null],
  [
    'environment',
    '',
    'The key from the environment takes precedence. Leave this empty, or remove that key there first.',
  ],
  ['config', 'sk-1', 'The key from the config takes precedence. Leave this empty, or remove that key there first.'],
] as const)('about a key from %s, while "%s" is typed, the form says %s', (from, key, hint) => {
  expect(keyHint({ ...emptyDraft, key }, { ...known, key: from })).toBe(hint);
});

it('a key of the environment goes to no other address, so that one can be entered for it', () => {
  const draft = { ...emptyDraft, address: 'https://gate.example/v1', key: 'sk-1' };
  expect(keyHint(draft, { ...known, key: 'environment' })).toBeNull();
});
