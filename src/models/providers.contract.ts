import { z } from 'zod';
import { defineContract } from '../base/contract.ts';
import { EmbeddingChoice } from './embeddings/embedding-settings.ts';
import { DefaultModel, ModelName, ProviderInfo, ProviderInput, ProviderTest } from './language-models.ts';
import { ModelFacts } from './model-facts.ts';

export const providersContract = defineContract('Models', {
  'GET /api/providers': {
    right: 'administer',
    summary: 'List model providers',
    answer: 'The providers, what each one still needs, and how the last request to it went.',
    output: z.object({ providers: z.array(ProviderInfo) }),
  },
  'PUT /api/providers/{name}': {
    right: 'administer',
    summary: 'Add or change a model provider',
    description:
      'Providers that the config file defines can only be changed there. The address may be a private one. A key that was saved for another address is not sent to a new one.',
    body: ProviderInput,
    shownFields: ['type', 'baseUrl'],
    example: { type: 'openai', key: 'YOUR_KEY' },
    answer: 'The provider.',
    output: ProviderInfo,
    errors: [400, 409, 503],
  },
  'DELETE /api/providers/{name}': {
    right: 'administer',
    summary: 'Remove a model provider',
    description: 'Removes a provider that was added in the app, and its key.',
    answer: 'The provider is removed.',
    output: z.object({ success: z.literal(true) }),
    errors: [404, 409],
  },
  'POST /api/providers/{name}/test': {
    right: 'administer',
    isAct: false,
    hasOwnLimits: true,
    summary: 'Test a model provider',
    description:
      'Asks the provider for its models and, if a model is given, the model for a short answer. A failure is part of the reply.',
    body: z.strictObject({
      model: z.string().min(1).max(200).optional().describe("The provider's name for a model."),
    }),
    isBodyOptional: true,
    example: { model: 'gpt-5-mini' },
    answer: 'What happened.',
    output: ProviderTest,
    errors: [400, 404],
  },
  'PUT /api/providers/{name}/key': {
    right: 'administer',
    summary: "Save a provider's API key",
    description:
      "The key is stored encrypted and never shown again. It is sent only to the provider's current address; after a change of address it must be entered again.",
    body: z.strictObject({
      key: z
        .string()
        .min(8)
        .max(10_000)
        .refine((value) => !/\s/.test(value), 'must not contain spaces or line ends'),
      baseUrl: z
        .string()
        .max(2_000)
        .optional()
        .describe('The address that the key is for. If the provider has another one by now, the key is not saved.'),
    }),
    example: { key: 'the-key-of-the-provider' },
    answer: 'The provider.',
    output: ProviderInfo,
    errors: [400, 404, 409, 503],
  },
  'DELETE /api/providers/{name}/key': {
    right: 'administer',
    summary: "Delete a provider's API key",
    answer: 'The provider.',
    output: ProviderInfo,
    errors: [404],
  },
  'GET /api/providers/{name}/models': {
    right: 'administer',
    hasOwnLimits: true,
    summary: "List a provider's models",
    answer: "The provider's names for its models.",
    output: z.object({ models: z.array(z.string()) }),
    errors: [400, 404, 502],
  },
  'GET /api/models/facts': {
    right: 'administer',
    summary: 'List known models',
    answer: 'Prices and context sizes of well-known models, and the date of these facts.',
    output: ModelFacts,
  },
  'GET /api/models/default': {
    right: 'administer',
    summary: 'Read the default model',
    answer: 'The model of agents that name none, and where it is set.',
    output: DefaultModel,
  },
  'PUT /api/models/default': {
    right: 'administer',
    summary: 'Choose the default model',
    description: 'If zoo.toml sets [engine] model, change it there.',
    body: z.strictObject({ model: ModelName.nullable().describe('Null removes the choice.') }),
    shownFields: ['model'],
    example: { model: 'openai/gpt-5-mini' },
    answer: 'The default model.',
    output: DefaultModel,
    errors: [400, 409],
  },
  'GET /api/models/embeddings': {
    right: 'administer',
    summary: 'Read the embedding model',
    answer: 'The model for search by meaning, and where it is set.',
    output: EmbeddingChoice,
  },
  'PUT /api/models/embeddings': {
    right: 'administer',
    hasOwnLimits: true,
    summary: 'Choose the embedding model',
    description:
      'Embeds a short text first, then everything that is indexed. If zoo.toml sets [embedding] provider, change it there.',
    body: z.strictObject({
      model: z.string().min(1).max(200).nullable().describe('`provider/model`, or "local". Null turns it off.'),
    }),
    shownFields: ['model'],
    example: { model: 'openai/text-embedding-3-small' },
    answer: 'The embedding model.',
    output: EmbeddingChoice,
    errors: [400, 409, 503],
  },
});
