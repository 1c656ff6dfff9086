import { expect, it } from 'vitest';
import type { ProviderInfo } from '../../../src/models/language-models.ts';
import { factWords, knownModels, searchModels, wrongName } from './known-models.ts';

const facts = {
  asOf: '2026-10-01',
  models: { openai: { 'gpt-5': { context: 400_000, input: 1.25, output: 10 }, 'gpt-5-mini': {} } },
};

function provider(name: string, fields: Partial<ProviderInfo> = {}): ProviderInfo {
  return {
    name,
    type: 'openai',
    baseUrl: 'https://api.openai.com/v1',
    from: 'built-in',
    version: null,
    key: 'vault',
    isReady: true,
    hint: null,
    keyPlaces: [],
    prices: [],
    seen: { state: 'never' },
    ...fields,
  };
}

const openai = provider('openai');
const lab = provider('lab', { type: 'openai-compatible' });
const google = provider('google', { isReady: false, hint: 'Provider "google" has no key.' });
const listed = [{ provider: 'openai', list: { models: ['gpt-5-2025-08-07', 'o9'], facts: {} } }];

it('models are those that a provider lists, with what is known about them', () => {
  const models = knownModels([openai, google], listed, facts);
  expect(models.map(({ name, context }) => [name, context])).toEqual([
    ['openai/gpt-5-2025-08-07', 400_000],
    ['openai/o9', undefined],
  ]);
});

it('until a provider has replied, the well-known ones are offered', () => {
  expect(knownModels([openai, lab], [], facts).map(({ name }) => name)).toEqual(['openai/gpt-5', 'openai/gpt-5-mini']);
});

it('the models of a provider that failed come last', () => {
  const seen = { state: 'failed', at: '2026-10-01T00:00:00Z', reason: 'unreachable', message: 'No reply.' } as const;
  const list = { models: ['small'], facts: {} };
  const models = knownModels([provider('openai', { seen }), lab], [...listed, { provider: 'lab', list }], facts);
  expect(models.map(({ name }) => name)).toEqual(['lab/small', 'openai/gpt-5-2025-08-07', 'openai/o9']);
});

it('what a server tells about its models counts more than our list', () => {
  const gate = { models: ['gpt-5', 'own'], facts: { own: { context: 8_192, input: 0.1, output: 0.2 } } };
  const models = knownModels([openai], [{ provider: 'openai', list: gate }], facts);
  expect(models).toMatchObject([
    { context: 400_000, input: 1.25, output: 10, isDated: true },
    { context: 8_192, input: 0.1, output: 0.2, isDated: false },
  ]);
});

it('a price that was set counts more than what the server tells and what our list says', () => {
  const gate = { models: ['gpt-5', 'own'], facts: { own: { context: 8_192, input: 0.1, output: 0.2 } } };
  const set = { from: 'app', version: 1 } as const;
  const prices = [
    { ...set, model: 'gpt-5', input: 1, output: 8 },
    { ...set, model: 'own', input: 0, output: 0 },
  ];
  const models = knownModels([provider('openai', { prices })], [{ provider: 'openai', list: gate }], facts);
  expect(models).toMatchObject([
    { context: 400_000, input: 1, output: 8, isDated: false },
    { context: 8_192, input: 0, output: 0, isDated: false },
  ]);
});

it('a provider with many models hides none of the others, and says how many more there are', () => {
  const many = Array.from({ length: 400 }, (_, index) => `model-${index}`);
  const lists = [
    { provider: 'openai', list: { models: many, facts: {} } },
    { provider: 'lab', list: { models: ['last'], facts: {} } },
  ];
  const groups = searchModels(knownModels([openai, lab], lists, undefined), '');
  expect(groups.map(({ provider, items, more }) => [provider, items.length, more])).toEqual([
    ['openai', 60, 340],
    ['lab', 1, 0],
  ]);
  expect(searchModels(knownModels([openai, lab], lists, undefined), 'model-399')).toMatchObject([
    { items: [{ name: 'openai/model-399' }], more: 0 },
  ]);
});

it.each([
  ['', ['openai/gpt-5', 'openai/gpt-5-mini']],
  ['MINI gpt', ['openai/gpt-5-mini']],
  ['openai/gpt-5-m', ['openai/gpt-5-mini']],
  ['gpt-5-mini', ['openai/gpt-5-mini']],
  ['claude', []],
])('"%s" finds %j', (query, names) => {
  const groups = searchModels(knownModels([openai], [], facts), query);
  expect(groups.flatMap(({ items }) => items).map(({ name }) => name)).toEqual(names);
});

it.each([
  ['', null],
  ['openai/o9', null],
  ['openai/', null],
  ['lab/anything', null],
  ['gpt-5', 'Use provider/model. Providers: openai, lab, google.'],
  ['opnai/gpt-5', 'There is no provider "opnai". Available: openai, lab, google.'],
  ['openai/gpt-55', 'openai does not list "gpt-55". Choose one of its 2 models, or check the name.'],
  ['google/gemini', 'Provider "google" has no key.'],
])('"%s" is wrong because: %s', (typed, reason) => {
  expect(wrongName(typed, [openai, lab, google], listed)).toBe(reason);
});

it('a provider that does not answer is the reason', () => {
  const failed = [{ provider: 'lab', list: undefined, error: 'Nothing is listening.' }];
  expect(wrongName('lab/x', [lab], failed)).toBe('Nothing is listening.');
});

it.each([
  [{ context: 1_047_576, input: 1.25, output: 10 }, '1M context · $1.25 / $10.00'],
  [{ context: 200_000, input: undefined, output: undefined }, '200K context'],
  [{ context: undefined, input: 0.075, output: 0.3 }, '$0.075 / $0.30'],
])('%j reads "%s"', (facts, words) => {
  expect(factWords(facts)).toBe(words);
});
