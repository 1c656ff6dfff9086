import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { HubError } from '../base/hub-error.ts';
import type { Logger } from '../base/logger.ts';
import type { ConfigDocument } from '../config/config-document.ts';
import { type ConnectorSection, parseConnector } from '../config/connector-sections.ts';
import type { LoadedConfig } from '../config/load-config.ts';
import type { Connector } from '../knowledge/connector.ts';
import { createKnowledge, type KnowledgeParts } from '../knowledge/create-knowledge.ts';
import type { KnowledgeStore, StoredSource } from '../knowledge/store/knowledge-store.ts';
import type { ScriptParts } from '../lua/host/script-host.ts';
import { configuredSources, usable } from './configured-sources.ts';

/** Connectors may be scripts. */
export interface OpenKnowledgeOptions extends ScriptParts {
  document: ConfigDocument;
  store: { readonly knowledge: KnowledgeStore };
  clock: Clock;
  logger: Logger;
  /** The config file names other sources than before, or something about them is to be repaired. */
  onChange(): void;
}

type Source = Pick<StoredSource, 'type' | 'name' | 'settings'>;

/** The knowledge base as config and store describe it; connectors are loaded when somebody asks for them. */
export async function openKnowledge(options: OpenKnowledgeOptions) {
  const { document, store, clock, logger } = options;
  const { loaded } = document;
  const { chunking, retrieval } = loaded.config;
  const embedding = await openEmbedding(loaded, { clock, logger });
  const { sandbox, host } = options;
  const parts = { loaded, sandbox, host };
  const sources = configuredSources({
    document,
    toConnector: (section) => toConnector(parts, section),
    onChange() {
      knowledge.events.emit({ type: 'sources' });
      options.onChange();
    },
  });
  const knowledge = createKnowledge({
    store: store.knowledge,
    clock,
    logger,
    chunking: { maxTokens: chunking.max_tokens, overlapTokens: chunking.overlap_tokens },
    retrieval: {
      hybridAlpha: retrieval.hybrid_alpha,
      candidateKKeyword: retrieval.candidate_k_keyword,
      candidateKVector: retrieval.candidate_k_vector,
      finalLimit: retrieval.final_limit,
    },
    embedding,
    configured: sources.connectors,
    toConnector: (source) => usable(source, async () => toConnector(parts, parseStored(source, loaded))),
    async checkSource(source) {
      const section = parseStored(source, loaded);
      await toConnector(parts, section);
      await checkFolder(section);
    },
  });
  return { knowledge, problems: sources.problems };
}

async function openEmbedding(
  loaded: LoadedConfig,
  { clock, logger }: Pick<OpenKnowledgeOptions, 'clock' | 'logger'>,
): Promise<KnowledgeParts['embedding']> {
  const { embedding } = loaded.config;
  if (embedding.provider === 'disabled') return undefined;
  const { openEmbedder } = await import('../models/embeddings/open-embedder.ts');
  const embedder = openEmbedder(
    {
      provider: embedding.provider,
      batchSize: embedding.batch_size,
      maxRetries: embedding.max_retries,
      timeoutMs: embedding.timeout_secs * 1_000,
      ...(embedding.model !== undefined && { model: embedding.model }),
      ...(embedding.dims !== undefined && { dims: embedding.dims }),
      ...(embedding.url !== undefined && { url: embedding.url }),
      ...(embedding.api_key !== undefined && { apiKey: embedding.api_key }),
    },
    { env: loaded.lookUp, clock, logger },
  );
  return embedder && { embedder, provider: embedding.provider, model: embedder.model };
}

/** The connector that a section describes. */
export async function toConnector(
  options: ScriptParts & { loaded: LoadedConfig },
  section: ConnectorSection,
): Promise<Connector> {
  switch (section.type) {
    case 'filesystem': {
      const [{ filesystemConnector }, { isKnownTextName }] = await Promise.all([
        import('../connectors/filesystem/filesystem.ts'),
        import('../text/content-types.ts'),
      ]);
      return filesystemConnector({ name: section.name, ...section.settings, takes: isKnownTextName });
    }
    case 'git': {
      const [{ gitConnector }, { isKnownTextName }] = await Promise.all([
        import('../connectors/git/git.ts'),
        import('../text/content-types.ts'),
      ]);
      const cache_dir = section.settings.cache_dir ?? join(options.loaded.dataDir, 'git', section.name);
      return gitConnector({ name: section.name, ...section.settings, cache_dir, takes: isKnownTextName });
    }
    case 'script':
      return (await import('../lua/lua-connector.ts')).luaConnector(section.script, options);
  }
}

/** Settings from the web app are held to the rules of the config file. */
function parseStored({ type, name, settings }: Source, loaded: LoadedConfig): ConnectorSection {
  const table = { id: name, section: `${type}:${name}`, raw: settings };
  const parsed = parseConnector(type, table, { ...loaded, folder: loaded.home });
  const [issue] = parsed.issues;
  if ('section' in parsed && !issue) return parsed.section;
  const issues = parsed.issues.map(({ path, message }) => ({
    path: path.replace(`${table.section}.`, 'settings.'),
    message,
  }));
  throw new HubError('INVALID_ARGUMENTS', issues.map((each) => `${each.path}: ${each.message}`).join('; '), {
    details: { issues },
  });
}

/** What can be told at once is told at once. */
async function checkFolder(section: ConnectorSection): Promise<void> {
  if (section.type !== 'filesystem') return;
  const { root } = section.settings;
  const found = await stat(root).catch(() => undefined);
  if (found?.isDirectory()) return;
  const why = found ? `${root} is a file, not a folder.` : `There is no folder ${root}.`;
  throw new HubError('INVALID_ARGUMENTS', why, { details: { issues: [{ path: 'settings.root', message: why }] } });
}
