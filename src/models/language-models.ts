import { z } from 'zod';
import type { Model, ModelPrice } from '../engine/model.ts';

const providerTypes = ['openai', 'anthropic', 'google', 'ollama', 'openai-compatible'] as const;
export type ProviderType = (typeof providerTypes)[number];

/** A provider as configured. */
export interface ProviderSettings {
  type: ProviderType;
  baseUrl?: string | undefined;
  apiKey?: string | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
  /** Prices by model. */
  prices?: Readonly<Record<string, ModelPrice>> | undefined;
}

export const ProviderInfo = z.object({
  name: z.string(),
  type: z.enum(providerTypes),
  baseUrl: z.string().nullable(),
  /** Where its key comes from. */
  key: z.enum(['config', 'environment', 'vault', 'none', 'not-needed']),
  isReady: z.boolean(),
  /** What to set if it is not ready, or which key is not sent to this address. */
  hint: z.string().nullable(),
});
export type ProviderInfo = z.infer<typeof ProviderInfo>;

export interface LanguageModels {
  /** Resolves `provider/model`. `variables` win over the environment. Throws INVALID_ARGUMENTS (wrong form, or unknown provider with a list of the known ones) and NOT_CONFIGURED (says what to set). */
  resolve(name: string, variables?: Readonly<Record<string, string>>): Promise<Model>;
  /** Lists the configured providers, and the well-known ones without a key. */
  providers(): Promise<ProviderInfo[]>;
  /** Lists the provider's model ids. Throws the errors of `resolve`, and MODEL_ERROR. */
  list(provider: string, options: { signal: AbortSignal }): Promise<string[]>;
  /**
   * Stores the key in the vault for the provider's current address, the only one it is sent to; null deletes it. Throws NOT_FOUND,
   * NOT_CONFIGURED (there is no address yet), and CONFLICT if the address is not the one that the user saw.
   */
  setKey(provider: string, key: string | null, seen?: { baseUrl?: string | undefined }): Promise<void>;
}
