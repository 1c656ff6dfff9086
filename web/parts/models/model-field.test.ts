import { expect, it } from 'vitest';
import { suggestedModels, typedProvider } from './model-field.tsx';

const providers = [
  { name: 'openai', isReady: true },
  { name: 'google', isReady: false },
];

it.each([
  ['openai/gpt', 'openai'],
  ['openai/', 'openai'],
  ['openai', undefined],
  ['google/gemini', undefined],
  ['', undefined],
])('of “%s” the provider that can be asked is %s', (model, provider) => {
  expect(typedProvider(model, providers)).toBe(provider);
});

it('suggests ready providers, then the models of the typed one', () => {
  expect(suggestedModels(providers, undefined, [])).toEqual(['openai/']);
  expect(suggestedModels(providers, 'openai', [])).toEqual(['openai/']);
  expect(suggestedModels(providers, 'openai', ['gpt-5', 'org/model'])).toEqual(['openai/gpt-5', 'openai/org/model']);
});
