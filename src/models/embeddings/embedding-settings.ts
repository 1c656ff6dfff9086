import { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { Embedder } from '../../knowledge/embedder.ts';
import type { EditableConfig } from '../../settings/config-file.ts';
import type { SettingStore } from '../../settings/settings.ts';
import type { ModelChange, ProviderAccess } from '../language-models.ts';

/** The setting that stores the choice made in the app. */
export const embeddingKey = 'embedding.model';

/** How the last request for vectors went. */
export const EmbeddingsSeen = z.discriminatedUnion('state', [
  z.object({ state: z.literal('never') }),
  z.object({ state: z.literal('worked'), at: z.iso.datetime() }),
  z.object({ state: z.literal('failed'), at: z.iso.datetime(), message: z.string() }),
]);
export type EmbeddingsSeen = z.infer<typeof EmbeddingsSeen>;

/** The embeddings of the hub, and where they are set. */
export const EmbeddingChoice = z.object({
  model: z.string().nullable().describe('`provider/model`, or "local" for the model on this machine. Null: off.'),
  from: z.enum(['config', 'app', 'none']),
  version: z.number().nullable().describe('The version of the setting; null unless it was made in the app.'),
  seen: EmbeddingsSeen,
});
export type EmbeddingChoice = z.infer<typeof EmbeddingChoice>;

/** What somebody chooses, and the version of the choice that they saw. */
export type EmbeddingWish = Omit<Extract<ModelChange, { kind: 'embeddings' }>, 'kind'>;

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

export interface ConfiguredEmbeddings {
  settings: EmbeddingSettings & { index: 'memory' | 'pgvector' };
  /** Whether the config file sets the provider, so that it wins over the app. */
  isConfigured: boolean;
}

export interface ChosenEmbeddingParts {
  /** Returns `[embedding]` of the config, as it applies now. */
  configured(): Promise<ConfiguredEmbeddings>;
  /** Calls back after each change to the config. */
  watchConfig(onChange: () => void): () => void;
  /** Opens the config file for changes. */
  file(): Promise<EditableConfig>;
  settings: SettingStore;
  /** Throws the errors of `LanguageModels.access`. */
  access(provider: string): Promise<ProviderAccess>;
  lookUp: (name: string) => string | undefined;
  /** Called when other embeddings were opened than before. */
  onChange(): void;
  clock: Clock;
  logger: Logger;
}

/** Returns the part of `provider/model` before the slash; empty if there is none. */
export function providerOf(chosen: string): string {
  return chosen.includes('/') ? chosen.slice(0, chosen.indexOf('/')) : '';
}
