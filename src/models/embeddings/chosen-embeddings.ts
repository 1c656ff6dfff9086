import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { HubError } from '../../base/hub-error.ts';
import type { KnowledgeParts } from '../../knowledge/create-knowledge.ts';
import type { AppliedSettings, SettingsPreview } from '../../settings/app-settings.ts';
import {
  type ChosenEmbeddingParts,
  type ConfiguredEmbeddings,
  type EmbeddingChoice,
  type EmbeddingSettings,
  type EmbeddingWish,
  embeddingKey,
  type OpenedEmbedder,
  providerOf,
} from './embedding-settings.ts';
import { seenEmbeddings } from './seen-embeddings.ts';

const Chosen = z.string().max(200);

type Embedding = KnowledgeParts['embedding'];
/** Loaded on first use: most hubs have no embeddings. */
const opening = () => import('./open-chosen-embedder.ts');

/** The embeddings of the hub: from the config file, or chosen in the app. Both apply without a restart. */
export interface ChosenEmbeddings {
  /** Undefined while there are none. */
  readonly current: Embedding;
  choice(): Promise<EmbeddingChoice>;
  /** Throws as `choose`, and changes nothing. */
  preview(wish: EmbeddingWish, options: { signal: AbortSignal }): Promise<SettingsPreview>;
  /**
   * Embeds a short text first, then changes the choice where it comes from: in the config file, otherwise in the database. Throws
   * INVALID_ARGUMENTS, CONFLICT if it is not as the user saw it, and the errors of `embed`.
   */
  choose(wish: EmbeddingWish, options: { signal: AbortSignal; hash?: string | undefined }): Promise<AppliedSettings>;
  close(): Promise<void>;
}

/** What decides now: the config file if it names a provider, otherwise the choice in the app. */
type Source = ConfiguredEmbeddings & { model: string | null; version: number | null };

interface Opened {
  source: Source;
  embedding: Embedding;
  retire: () => void;
}

export async function openChosenEmbeddings(parts: ChosenEmbeddingParts): Promise<ChosenEmbeddings> {
  const { settings, logger } = parts;
  const seen = seenEmbeddings(parts);
  let opened: Opened | undefined;
  let queue: Promise<unknown> = Promise.resolve();

  await inTurn(() => follow());
  const again = () =>
    void inTurn(() => follow()).catch((error: unknown) =>
      logger.error({ err: error }, 'the chosen embeddings were not opened'),
    );
  const stops = [
    settings.watch((keys) => {
      if (keys.length === 0 || keys.includes(embeddingKey)) again();
    }),
    parts.watchConfig(again),
  ];

  return {
    get current() {
      return opened?.embedding;
    },
    async choice() {
      const choice = toChoice(await sourceNow());
      return { ...choice, seen: choice.model === null ? { state: 'never' } : await seen.of(choice.model) };
    },
    preview: async (wish, { signal }) => {
      const { planChoice } = await opening();
      const { preview, embedder } = await planChoice(parts, wish, { signal });
      await embedder?.close?.();
      return preview;
    },
    async choose(wish, { signal, hash }) {
      const { planChoice } = await opening();
      const { apply, embedder } = await planChoice(parts, wish, { signal, hash });
      return inTurn(async () => {
        const before = opened;
        try {
          const applied = await apply();
          await follow(embedder);
          if (wish.model !== null) await seen.record(toChoice(await sourceNow()).model ?? '');
          return applied;
        } finally {
          if (opened === before) await embedder?.close?.();
        }
      });
    },
    async close() {
      for (const stop of stops) stop();
      await queue;
    },
  };

  /** Opens and replaces one at a time, so that the newest choice is the last one to be opened. */
  function inTurn<T>(run: () => Promise<T>): Promise<T> {
    const next = queue.then(run);
    queue = next.catch(() => {});
    return next;
  }

  async function sourceNow(): Promise<Source> {
    const [configured, stored] = await Promise.all([parts.configured(), settings.read(embeddingKey, Chosen)]);
    if (configured.isConfigured) return { ...configured, model: null, version: null };
    return { ...configured, model: stored?.value ?? null, version: stored?.version ?? null };
  }

  /** Opens what is chosen now, here, in the file or in another process. `tested` is what was just chosen. */
  async function follow(tested?: OpenedEmbedder): Promise<void> {
    const source = await sourceNow();
    if (opened && isSame(source, opened.source)) return;
    const embedder = tested ?? (await open(source));
    const { isConfigured, settings: configured, model } = source;
    const provider = isConfigured ? configured.provider : model === 'local' ? 'local' : providerOf(model ?? '');
    const name = toChoice(source).model ?? '';
    const shared = embedder && untilRetired(embedder, (error) => void seen.record(name, error));
    const before = opened;
    opened = {
      source,
      embedding: shared && { embedder: shared, provider, model: embedder.model, index: configured.index },
      retire: () => shared?.retire(),
    };
    before?.retire();
    if (before) parts.onChange();
  }

  async function open({ isConfigured, settings: configured, model }: Source): Promise<OpenedEmbedder | undefined> {
    if (isConfigured) {
      if (configured.provider === 'disabled') return undefined;
      return (await opening()).openConfigured(parts, configured);
    }
    return model === null ? undefined : (await opening()).openOrExplain(parts, model, configured);
  }
}

/** Whether both lead to the same embedder, whatever their versions. */
function isSame(one: Source, other: Source): boolean {
  return isDeepStrictEqual({ ...one, version: null }, { ...other, version: null });
}

/**
 * Lets an embedder finish what it is doing after it was replaced, and refuses everything else: a job that fills the index with vectors of
 * the old model would go on for hours, and then delete the new ones.
 */
function untilRetired(
  embedder: OpenedEmbedder,
  onOutcome: (error?: unknown) => void,
): OpenedEmbedder & { retire(): void } {
  let isRetired = false;
  let running = 0;
  const close = async () => embedder.close?.();
  const closeIfIdle = () => {
    if (isRetired && running === 0) void close();
  };
  return {
    key: embedder.key,
    model: embedder.model,
    batchSize: embedder.batchSize,
    get dims() {
      return embedder.dims;
    },
    async embed(texts, options) {
      if (isRetired) throw new HubError('CANCELLED', 'Another embedding model was chosen meanwhile. Try again.');
      running += 1;
      try {
        const vectors = await embedder.embed(texts, options);
        onOutcome();
        return vectors;
      } catch (error) {
        if (!options.signal.aborted) onOutcome(error);
        throw error;
      } finally {
        running -= 1;
        closeIfIdle();
      }
    },
    close,
    retire() {
      isRetired = true;
      closeIfIdle();
    },
  };
}

function toChoice({ isConfigured, settings: configured, model, version }: Source): Omit<EmbeddingChoice, 'seen'> {
  if (isConfigured) return { model: configuredName(configured), from: 'config', version: null };
  return { model, from: model === null ? 'none' : 'app', version };
}

function configuredName({ provider, model }: EmbeddingSettings): string | null {
  if (provider === 'disabled') return null;
  return provider === 'local' || model === undefined ? provider : `${provider}/${model}`;
}
