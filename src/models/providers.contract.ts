import { z } from 'zod';
import { defineContract } from '../base/contract.ts';
import { ProviderInfo } from './language-models.ts';

export const providersContract = defineContract('Models', {
  'GET /api/providers': {
    right: 'administer',
    summary: 'List model providers',
    answer: 'The providers, and what each one still needs.',
    output: z.object({ providers: z.array(ProviderInfo) }),
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
});
