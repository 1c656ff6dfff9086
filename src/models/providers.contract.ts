import { z } from 'zod';
import { defineContract } from '../base/contract.ts';
import { ProviderInfo } from './language-models.ts';

export const providersContract = defineContract('Models', {
  'GET /api/providers': {
    right: 'administer',
    summary: 'List providers of models',
    answer: 'Which are ready, and what the others need.',
    output: z.object({ providers: z.array(ProviderInfo) }),
  },
  'PUT /api/providers/{name}/key': {
    right: 'administer',
    summary: "Keep a provider's key",
    description: 'Encrypted. It is never shown again.',
    body: z.strictObject({
      key: z
        .string()
        .min(8)
        .max(10_000)
        .refine((value) => !/\s/.test(value), 'must not contain spaces or line ends'),
    }),
    example: { key: 'the-key-of-the-provider' },
    answer: 'The provider.',
    output: ProviderInfo,
    errors: [400, 404, 503],
  },
  'DELETE /api/providers/{name}/key': {
    right: 'administer',
    summary: "Forget a provider's key",
    answer: 'The provider.',
    output: ProviderInfo,
    errors: [404],
  },
  'GET /api/providers/{name}/models': {
    right: 'administer',
    hasOwnLimits: true,
    summary: "List a provider's models",
    answer: 'As the provider calls them.',
    output: z.object({ models: z.array(z.string()) }),
    errors: [400, 404, 502],
  },
});
