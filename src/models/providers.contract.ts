import { z } from 'zod';
import { defineContract } from '../base/contract.ts';
import { AppliedSettings, SettingsPreview } from '../settings/app-settings.ts';
import { EmbeddingChoice } from './embeddings/embedding-settings.ts';
import {
  DefaultModel,
  KeyAddress,
  ModelChange,
  ModelList,
  ModelName,
  ProviderConnection,
  ProviderInfo,
  ProviderInput,
  ProviderKey,
  ProviderTest,
  ProviderTrial,
} from './language-models.ts';
import { ModelFacts } from './model-facts.ts';

const version = z
  .number()
  .nullable()
  .optional()
  .describe('The version to replace; null for none. Without it, whatever is there is replaced.');
const inFile = 'What zoo.toml sets is changed there.';

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
    description: `${inFile} The address may be a private one. A key that was saved for another address is not sent to a new one.`,
    body: ProviderInput,
    shownFields: ['type', 'baseUrl'],
    example: { type: 'openai', key: 'YOUR_KEY' },
    answer: 'The provider.',
    output: ProviderInfo,
    errors: [400, 409, 503],
  },
  'POST /api/providers/{name}/connect': {
    right: 'administer',
    hasOwnLimits: true,
    summary: 'Connect a model provider',
    description:
      'Asks a provider for its models, and saves it, or its key, only once it answers. A failure is part of the reply. A provider that zoo.toml sets is refused: change it with POST /api/models, then test it. So is a key while one of the config or the environment takes precedence.',
    body: z.strictObject({ trial: ProviderTrial }),
    example: {
      trial: { kind: 'provider', input: { type: 'openai-compatible', baseUrl: 'https://models.example.com/v1' } },
    },
    answer: 'What happened, and whether it was saved.',
    output: ProviderConnection,
    errors: [400, 404, 409, 503],
  },
  'DELETE /api/providers/{name}': {
    right: 'administer',
    summary: 'Remove a model provider',
    description: `Removes a provider and its key. ${inFile}`,
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
      'Asks the provider for its models, and one of them for a short answer. A failure is part of the reply.',
    body: z.strictObject({
      model: z
        .string()
        .min(1)
        .max(200)
        .nullable()
        .optional()
        .describe(
          "The provider's name for the model to ask. Default: the default model, or one that the provider lists. Null: asks for the list only.",
        ),
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
    body: z.strictObject({ key: ProviderKey, baseUrl: KeyAddress }),
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
    answer: 'The models, and what the provider says about them.',
    output: ModelList,
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
    description: inFile,
    body: z.strictObject({ model: ModelName.nullable().describe('Null removes the choice.'), version }),
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
    description: `Embeds a short text first, then everything that is indexed. ${inFile}`,
    body: z.strictObject({
      model: z.string().min(1).max(200).nullable().describe('`provider/model`, or "local". Null turns it off.'),
      version,
    }),
    shownFields: ['model'],
    example: { model: 'openai/text-embedding-3-small' },
    answer: 'The embedding model.',
    output: EmbeddingChoice,
    errors: [400, 409, 503],
  },
  'POST /api/models/preview': {
    right: 'administer',
    isAct: false,
    hasOwnLimits: true,
    summary: 'Preview a change to the models',
    description: 'Asks new embeddings for a short text.',
    body: z.strictObject({ change: ModelChange }),
    example: { change: { kind: 'default', model: 'openai/gpt-5-mini' } },
    answer: 'Where the change would be stored, and the lines of the config file that would change.',
    output: SettingsPreview,
    errors: [400, 404, 409, 503],
  },
  'POST /api/models': {
    right: 'administer',
    hasOwnLimits: true,
    summary: 'Change a provider, a price, the default model or the embeddings',
    description:
      'What is in the config file is changed there, with all comments kept. Everything else is stored in the database.',
    body: z.strictObject({
      change: ModelChange,
      hash: z.string().max(100).optional().describe('Of the config file that the change was made for.'),
    }),
    example: { change: { kind: 'default', model: 'openai/gpt-5-mini' } },
    answer: 'The change is stored.',
    output: AppliedSettings,
    errors: [400, 404, 409, 503],
  },
});
