import { z } from 'zod';
import type { Model, ModelPrice } from '../engine/model.ts';

const providerTypes = ['openai', 'anthropic', 'google', 'ollama', 'openai-compatible'] as const;
export type ProviderType = (typeof providerTypes)[number];

/** A provider as config and environment describe it. */
export interface ProviderSettings {
  type: ProviderType;
  baseUrl?: string | undefined;
  apiKey?: string | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
  /** By model. */
  prices?: Readonly<Record<string, ModelPrice>> | undefined;
}

export const ProviderInfo = z.object({
  name: z.string(),
  type: z.enum(providerTypes),
  baseUrl: z.string().nullable(),
  /** Where its key comes from. */
  key: z.enum(['config', 'environment', 'vault', 'none', 'not-needed']),
  isReady: z.boolean(),
  /** What to set where it is not ready. */
  hint: z.string().nullable(),
});
export type ProviderInfo = z.infer<typeof ProviderInfo>;

export interface LanguageModels {
  /** `provider/model`. Throws INVALID_ARGUMENTS (form, unknown provider: names what there is), NOT_CONFIGURED (one sentence says what to set). */
  resolve(name: string): Promise<Model>;
  /** Those of config and environment, and the well-known ones that wait for a key. */
  providers(): Promise<ProviderInfo[]>;
  /** Model ids that the provider lists. Throws as `resolve`, and MODEL_ERROR. */
  list(provider: string, options: { signal: AbortSignal }): Promise<string[]>;
  /** Kept in the vault; null forgets it. Throws NOT_FOUND. */
  setKey(provider: string, key: string | null): Promise<void>;
}
