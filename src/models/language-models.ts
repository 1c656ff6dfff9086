import type { Model, ModelPrice } from '../engine/model.ts';

export type ProviderType = 'openai' | 'anthropic' | 'google' | 'ollama' | 'openai-compatible';

/** A provider as config and environment describe it. */
export interface ProviderSettings {
  type: ProviderType;
  baseUrl?: string | undefined;
  apiKey?: string | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
  /** By model. */
  prices?: Readonly<Record<string, ModelPrice>> | undefined;
}

export interface ProviderInfo {
  name: string;
  type: ProviderType;
  baseUrl: string | null;
  /** Where its key comes from. */
  key: 'config' | 'environment' | 'vault' | 'none' | 'not-needed';
  isReady: boolean;
  /** What to set where it is not ready. */
  hint: string | null;
}

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
