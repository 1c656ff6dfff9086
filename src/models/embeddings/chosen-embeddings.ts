import { z } from 'zod';
import { HubError } from '../../base/hub-error.ts';
import type { KnowledgeParts } from '../../knowledge/create-knowledge.ts';
import {
  type ChosenEmbeddingParts,
  type EmbeddingChoice,
  type EmbeddingSettings,
  type OpenedEmbedder,
  providerOf,
} from './embedding-settings.ts';

const key = 'embedding.model';
const Chosen = z.string().max(200);

type Embedding = KnowledgeParts['embedding'];
/** Loaded on first use: most hubs have no embeddings. */
const opening = () => import('./open-chosen-embedder.ts');

/** The embeddings of the hub: from the config file, or chosen in the app without a restart. */
export interface ChosenEmbeddings {
  /** Undefined while there are none. */
  readonly current: Embedding;
  choice(): Promise<EmbeddingChoice>;
  /** Embeds a short text first. Throws CONFLICT if the config file decides, INVALID_ARGUMENTS, and the errors of `embed`. Null turns search by meaning off. */
  choose(model: string | null, signal: AbortSignal): Promise<void>;
  close(): void;
}

export async function openChosenEmbeddings(parts: ChosenEmbeddingParts): Promise<ChosenEmbeddings> {
  const { configured, isConfigured, settings, logger } = parts;
  let model: string | null = null;
  let current: Embedding;
  if (isConfigured) {
    const embedder = configured.provider === 'disabled' ? undefined : (await opening()).openConfigured(parts);
    current = embedder && toEmbedding(embedder, configured.provider, configured.index);
    return { current, choice: async () => configuredChoice(configured), choose: refuse, close() {} };
  }

  await follow();
  const stop = settings.watch((keys) => {
    if (keys.length > 0 && !keys.includes(key)) return;
    follow().catch((error: unknown) => logger.error({ err: error }, 'the chosen embeddings were not opened'));
  });

  /** Opens what is chosen now, here or in another process. */
  async function follow(): Promise<void> {
    const chosen = (await settings.read(key, Chosen))?.value ?? null;
    if (chosen !== model)
      await use(chosen, chosen === null ? undefined : await (await opening()).openOrExplain(parts, chosen));
  }

  async function use(next: string | null, embedder: OpenedEmbedder | undefined): Promise<void> {
    const before = current;
    model = next;
    current = embedder && toEmbedding(embedder, next === 'local' ? 'local' : providerOf(next ?? ''), configured.index);
    await before?.embedder.close?.();
  }

  return {
    get current() {
      return current;
    },
    choice: async () => ({ model, from: model === null ? 'none' : 'app' }),
    async choose(next, signal) {
      if (next === null) {
        await settings.delete(key);
        return use(null, undefined);
      }
      const embedder = await (await opening()).openChosen(parts, next);
      try {
        await embedder.embed(['A short text to see whether it works.'], { signal, purpose: 'query' });
        await settings.write(key, next);
      } catch (error) {
        await embedder.close?.();
        throw error;
      }
      await use(next, embedder);
    },
    close: stop,
  };
}

function toEmbedding(embedder: OpenedEmbedder, provider: string, index: 'memory' | 'pgvector'): Embedding {
  return { embedder, provider, model: embedder.model, index };
}

function configuredChoice({ provider, model }: EmbeddingSettings): EmbeddingChoice {
  const name = provider === 'local' || model === undefined ? provider : `${provider}/${model}`;
  return { model: provider === 'disabled' ? null : name, from: 'config' };
}

async function refuse(): Promise<never> {
  throw new HubError('CONFLICT', 'zoo.toml sets the embeddings. Change [embedding] there.');
}
