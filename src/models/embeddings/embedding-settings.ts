import { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { Embedder } from '../../knowledge/embedder.ts';
import type { SettingStore } from '../../settings/settings.ts';
import type { ProviderAccess } from '../language-models.ts';

/** The embeddings of the hub, and where they are set. */
export const EmbeddingChoice = z.object({
  model: z.string().nullable().describe('`provider/model`, or "local" for the model on this machine. Null: off.'),
  from: z.enum(['config', 'app', 'none']),
});
export type EmbeddingChoice = z.infer<typeof EmbeddingChoice>;

/** `[embedding]` of the config. */
export interface EmbeddingSettings {
  provider: 'disabled' | 'local' | 'openai' | 'ollama' | 'openai-compatible';
  model?: string | undefined;
  dims?: number | undefined;
  batchSize: number;
  maxRetries: number;
  timeoutMs: number;
  url?: string | undefined;
  apiKey?: string | undefined;
}

export interface OpenedEmbedder extends Embedder {
  /** The model's name for the user; empty if none is set. */
  readonly model: string;
}

export interface ChosenEmbeddingParts {
  /** `[embedding]` of the config. */
  configured: EmbeddingSettings & { index: 'memory' | 'pgvector' };
  /** Whether the config file sets the provider, so that it wins over the app. */
  isConfigured: boolean;
  settings: SettingStore;
  /** Throws the errors of `LanguageModels.access`. */
  access(provider: string): Promise<ProviderAccess>;
  lookUp: (name: string) => string | undefined;
  clock: Clock;
  logger: Logger;
}

/** Returns the part of `provider/model` before the slash; empty if there is none. */
export function providerOf(chosen: string): string {
  return chosen.includes('/') ? chosen.slice(0, chosen.indexOf('/')) : '';
}
