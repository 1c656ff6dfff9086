import { HubError } from '../../base/hub-error.ts';
import type { AppliedSettings, SettingsPreview } from '../../settings/app-settings.ts';
import { type FileEdit, hubChange } from '../../settings/config-file.ts';
import type { ProviderAccess } from '../language-models.ts';
import { findEmbeddingServer } from './embedding-servers.ts';
import {
  type ChosenEmbeddingParts,
  type EmbeddingSettings,
  type EmbeddingWish,
  embeddingKey,
  type OpenedEmbedder,
  providerOf,
} from './embedding-settings.ts';
import { openEmbedder, unusableEmbedder } from './open-embedder.ts';
import { openServerEmbedder } from './server-embedder.ts';

type Limits = Pick<EmbeddingSettings, 'batchSize' | 'maxRetries' | 'timeoutMs'>;
type OpenParts = Pick<ChosenEmbeddingParts, 'access' | 'lookUp' | 'clock' | 'logger'>;

/** Opens the embedder of the config; undefined if it disables embeddings. */
export function openConfigured(
  { lookUp, clock, logger }: OpenParts,
  configured: EmbeddingSettings,
): OpenedEmbedder | undefined {
  return openEmbedder(configured, { env: lookUp, clock, logger });
}

/** A choice that cannot be used now, for instance without its key, says so when it is asked. */
export async function openOrExplain(parts: OpenParts, chosen: string, limits: Limits): Promise<OpenedEmbedder> {
  try {
    return await openChosen(parts, chosen, limits);
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    parts.logger.warn({ embedding: chosen }, error.message);
    return unusableEmbedder({ provider: 'openai-compatible', model: chosen, ...limitsOf(limits) }, error);
  }
}

/** A choice that was tested and not made yet. */
export interface PlannedChoice {
  preview: SettingsPreview;
  apply(): Promise<AppliedSettings>;
  /** Undefined if search by meaning is turned off. */
  embedder: OpenedEmbedder | undefined;
}

/**
 * Asks the embeddings for a short text, and decides where the choice goes: into the config file if that sets the embeddings, otherwise into
 * the database. For a choice that the file cannot express, such as a provider with a key in the vault, the lines of the file are removed.
 */
export async function planChoice(
  parts: ChosenEmbeddingParts,
  { model, version }: EmbeddingWish,
  { signal, hash }: { signal: AbortSignal; hash?: string | undefined },
): Promise<PlannedChoice> {
  const { settings: store } = parts;
  const { settings: configured } = await parts.configured();
  const file = await parts.file();
  const isInFile = (await file.value(['embedding', 'provider'])) !== undefined;
  const written = isInFile ? inFile(model, configured) : undefined;
  let embedder: OpenedEmbedder | undefined;
  if (model !== null) {
    const fromFile = written && isUsable(written.settings, parts) ? openConfigured(parts, written.settings) : undefined;
    embedder = fromFile ?? (await openChosen(parts, model, configured));
    await ask(embedder, signal);
    if (isInFile && !fromFile) {
      const gone = fileKeys.map((key): FileEdit => ({ path: ['embedding', key], value: null }));
      const planned = await planOrClose(file.plan(gone, { hash }), embedder);
      const apply = async () => {
        const applied = await planned.apply();
        await store.write(embeddingKey, model);
        return applied;
      };
      return { preview: planned.preview, apply, embedder };
    }
  }
  if (written) return { ...(await planOrClose(file.plan(written.edits, { hash }), embedder)), embedder };
  const change = hubChange(async () => {
    if (model !== null) await store.write(embeddingKey, model, version);
    else await store.delete(embeddingKey, version);
  });
  return { ...change, embedder };
}

async function ask(embedder: OpenedEmbedder, signal: AbortSignal): Promise<void> {
  try {
    await embedder.embed(['A short text to see whether it works.'], { signal, purpose: 'query' });
  } catch (error) {
    await embedder.close?.();
    throw error;
  }
}

async function planOrClose<T>(plan: Promise<T>, embedder: OpenedEmbedder | undefined): Promise<T> {
  try {
    return await plan;
  } catch (error) {
    await embedder?.close?.();
    throw error;
  }
}

/** The keys of `[embedding]` that say which model it is. */
const fileKeys = ['provider', 'model', 'dims', 'url', 'api_key'] as const;

/** Returns what to write into the config file, and what it then means; undefined if it cannot say that. */
function inFile(
  chosen: string | null,
  before: EmbeddingSettings,
): { edits: FileEdit[]; settings: EmbeddingSettings } | undefined {
  const provider = chosen === null ? 'disabled' : chosen === 'local' ? 'local' : providerOf(chosen);
  const isSame = provider === before.provider;
  if (provider !== 'disabled' && provider !== 'local' && provider !== 'openai' && provider !== 'ollama' && !isSame)
    return undefined;
  const model = provider === 'disabled' || provider === 'local' ? null : (chosen ?? '').slice(provider.length + 1);
  const edit = (key: (typeof fileKeys)[number], value: string | null): FileEdit => ({
    path: ['embedding', key],
    value,
  });
  // When it is turned off, the other keys stay for the next time. An address and a key are only for the provider they were written for.
  const stays = provider === 'disabled';
  const kept = isSame ? before : { ...before, url: undefined, apiKey: undefined };
  return {
    edits: [
      edit('provider', provider),
      ...(stays ? [] : [edit('model', model), edit('dims', null)]),
      ...(stays || isSame ? [] : [edit('url', null), edit('api_key', null)]),
    ],
    settings: { ...kept, provider: isSame ? before.provider : provider, model: model ?? undefined, dims: undefined },
  };
}

/** Whether the file and the environment have what the embeddings need. Keys in the vault belong to a provider under Models. */
function isUsable(settings: EmbeddingSettings, { lookUp }: OpenParts): boolean {
  const { provider } = settings;
  if (provider !== 'openai' && provider !== 'ollama' && provider !== 'openai-compatible') return true;
  try {
    return findEmbeddingServer(provider, settings, lookUp).unready === undefined;
  } catch (error) {
    if (error instanceof HubError) return false;
    throw error;
  }
}

/** Opens "local", or `provider/model`. Throws INVALID_ARGUMENTS and NOT_CONFIGURED. */
export async function openChosen(parts: OpenParts, chosen: string, given: Limits): Promise<OpenedEmbedder> {
  const { clock, logger } = parts;
  const limits = limitsOf(given);
  if (chosen === 'local') {
    const embedder = openEmbedder({ provider: 'local', ...limits }, { env: () => undefined, clock, logger });
    if (embedder) return embedder;
  }
  const provider = providerOf(chosen);
  const model = chosen.slice(provider.length + 1);
  if (provider === '' || model === '') {
    const message = `"${chosen}" is not an embedding model. Use provider/model, like openai/text-embedding-3-small, or "local".`;
    throw new HubError('INVALID_ARGUMENTS', message);
  }
  const access = await parts.access(provider);
  let opened = { access, embedder: openServer(parts, access, model, limits) };
  return {
    key: opened.embedder.key,
    model,
    batchSize: limits.batchSize,
    get dims() {
      return opened.embedder.dims;
    },
    /** Follows a new key or address of the provider. */
    async embed(texts, options) {
      const now = await parts.access(provider);
      const isSame = now.baseUrl === opened.access.baseUrl && now.apiKey === opened.access.apiKey;
      if (!isSame) opened = { access: now, embedder: openServer(parts, now, model, limits) };
      return opened.embedder.embed(texts, options);
    },
    close: async () => opened.embedder.close?.(),
  };
}

function openServer(parts: OpenParts, access: ProviderAccess, model: string, limits: Limits): OpenedEmbedder {
  const { name, type, baseUrl: url, apiKey } = access;
  if (type === 'anthropic' || type === 'google') {
    const message = `Provider "${name}" cannot make embeddings here. Choose a model of OpenAI, Ollama or an OpenAI-compatible server, or "local".`;
    throw new HubError('INVALID_ARGUMENTS', message);
  }
  // Ollama offers the OpenAI API at the same address. Environment variables were already considered with the access.
  const api = type === 'openai' ? 'openai' : 'openai-compatible';
  const server = {
    ...findEmbeddingServer(api, { model, url, apiKey }, () => undefined),
    keyHint: `Enter a valid key for ${name} under Models.`,
    modelHint: `Check that ${name} has the embedding model "${model}"${type === 'ollama' ? `, or run "ollama pull ${model}"` : ''}.`,
  };
  return openServerEmbedder(server, limits, parts);
}

function limitsOf({ batchSize, maxRetries, timeoutMs }: Limits): Limits {
  return { batchSize, maxRetries, timeoutMs };
}
