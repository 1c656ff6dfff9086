import { z } from 'zod';

const dollars = z.number().min(0).max(1_000_000);

/** `[providers.NAME]`: whose models agents may use, beside those that the environment names. */
const ProviderConfig = z.looseObject({
  type: z.enum(['openai', 'anthropic', 'google', 'ollama', 'openai-compatible']).default('openai-compatible'),
  base_url: z.url({ protocol: /^https?$/ }).optional(),
  api_key: z.string().min(1).max(10_000).optional(),
  headers: z.record(z.string(), z.string()).optional(),
  /** US dollars for a million tokens, by model: `[providers.NAME.prices."gpt-5"]`. Without it a budget of money is refused. */
  prices: z
    .record(z.string(), z.looseObject({ input: dollars, output: dollars, cached_input: dollars.optional() }))
    .optional(),
});

export const ProvidersConfig = z.record(z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/), ProviderConfig);
export type ProvidersConfig = z.infer<typeof ProvidersConfig>;

/** How agents run. */
export const EngineConfig = z.looseObject({
  /** For agents that name none: `provider/model`. */
  model: z
    .string()
    .regex(/^[^/\s]+\/\S+$/, 'must be provider/model')
    .max(200)
    .optional(),
  /** How often the model is asked in one run at most. */
  max_ticks: z.int().min(1).max(1_000).default(10),
  /** Budgets of one run. */
  max_tokens: z.int().min(1).optional(),
  max_cost: z.number().positive().optional(),
});
