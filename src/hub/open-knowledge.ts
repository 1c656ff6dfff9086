import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { HubError } from '../base/hub-error.ts';
import type { Logger } from '../base/logger.ts';
import type { SourceProblem } from '../base/source.ts';
import { type ConfigDocument, type ConfigVersion, settingsForRestart } from '../config/config-document.ts';
import { type ConnectorSection, connectorSections, parseConnector } from '../config/connector-sections.ts';
import type { LoadedConfig } from '../config/load-config.ts';
import { secretsIn } from '../config/secret-values.ts';
import { type Connector, sourceLabel } from '../knowledge/connector.ts';
import { createKnowledge } from '../knowledge/create-knowledge.ts';
import type { KnowledgeStore, StoredSource } from '../knowledge/store/knowledge-store.ts';
import type { ScriptParts } from '../lua/host/script-host.ts';
import { type ChosenEmbeddings, openChosenEmbeddings } from '../models/embeddings/chosen-embeddings.ts';
import type { LanguageModels } from '../models/language-models.ts';
import type { SettingStore } from '../settings/settings.ts';
import { type LiveConfig, valueAt } from './settings/live-config.ts';

/** Includes the parts of the script sandbox, because connectors can be scripts. */
export interface OpenKnowledgeOptions extends ScriptParts {
  config: LoadedConfig;
  document: ConfigDocument;
  live: LiveConfig;
  store: { readonly knowledge: KnowledgeStore; readonly settings: SettingStore };
  models: Pick<LanguageModels, 'access'>;
  clock: Clock;
  logger: Logger;
  /** Registers secrets that must never be written. */
  learn(secrets: readonly string[]): void;
  /** Sources written in code. */
  connectors?: readonly Connector[];
  /** Called when the sources in the config file, or their problems, have changed. */
  onChange(): void;
}

type Source = Pick<StoredSource, 'type' | 'name' | 'settings'>;

/** Opens the knowledge base with the sources of config and store. Connector code is loaded on first use. */
export async function openKnowledge(options: OpenKnowledgeOptions) {
  const { document, store, clock, logger } = options;
  const { loaded } = document;
  const { chunking, retrieval } = loaded.config;
  const embeddings = await openEmbeddings(options, () => knowledge.events.emit({ type: 'changed' }));
  const { sandbox, host } = options;
  const parts = { loaded, sandbox, host, isTrusted: document.isTrusted };
  const sources = configuredSources({
    document,
    toConnector: (section) => toConnector(parts, section),
    onChange() {
      knowledge.events.emit({ type: 'sources' });
      options.onChange();
    },
  });
  const written = distinct(options.connectors ?? []);
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
    get embedding() {
      return embeddings.current;
    },
    configured: async () => [...written, ...(await sources.connectors())],
    toConnector: (source) => usable(source, async () => toConnector(parts, parseStored(source, loaded))),
    async checkSource(source) {
      const section = parseStored(source, loaded);
      await toConnector(parts, section);
      await checkFolder(section);
    },
  });
  return {
    knowledge,
    problems: sources.problems,
    embeddings: {
      ...embeddings,
      async choose(...[wish, how]: Parameters<ChosenEmbeddings['choose']>) {
        const applied = await embeddings.choose(wish, how);
        if (embeddings.current) knowledge.startEmbedding({});
        return applied;
      },
    },
  };
}

/** Throws CONFLICT for two sources with the same name. */
function distinct(connectors: readonly Connector[]): readonly Connector[] {
  const labels = connectors.map(sourceLabel);
  const twice = labels.find((label, position) => labels.indexOf(label) !== position);
  if (twice === undefined) return connectors;
  throw new HubError('CONFLICT', `Two connectors in code have the name "${twice}". Rename one of them.`);
}

/** The embeddings of `[embedding]`; if the file names no provider, those chosen in the app. */
function openEmbeddings(parts: OpenKnowledgeOptions, onChange: () => void): Promise<ChosenEmbeddings> {
  const { document, store, clock, logger, models, learn } = parts;
  return openChosenEmbeddings({
    async configured() {
      const { config, raw } = await document.current();
      const { provider, model, dims, url, api_key, batch_size, max_retries, timeout_secs, index } = config.embedding;
      const limits = { batchSize: batch_size, maxRetries: max_retries, timeoutMs: timeout_secs * 1_000 };
      learn(secretsIn({ embedding: config.embedding }));
      return {
        settings: { provider, model, dims, url, apiKey: api_key, ...limits, index },
        isConfigured: provider !== 'disabled' || valueAt(raw, ['embedding', 'provider']) !== undefined,
      };
    },
    watchConfig: document.watch,
    file: async () => (await import('./settings/config-file.ts')).editableConfig(parts),
    settings: store.settings,
    access: (name) => models.access(name),
    lookUp: document.loaded.lookUp,
    onChange,
    clock,
    logger,
  });
}

/** Creates the connector that a section describes. */
export async function toConnector(
  options: ScriptParts & { loaded: LoadedConfig; isTrusted?: ConfigDocument['isTrusted'] },
  section: ConnectorSection,
): Promise<Connector> {
  switch (section.type) {
    case 'filesystem': {
      const [{ filesystemConnector }, { isKnownTextName }] = await Promise.all([
        import('../connectors/filesystem/filesystem.ts'),
        import('../text/content-types.ts'),
      ]);
      const { name, settings, confinedTo } = section;
      return filesystemConnector({ name, ...settings, confinedTo, takes: isKnownTextName });
    }
    case 'git': {
      const [{ gitConnector }, { isKnownTextName }] = await Promise.all([
        import('../connectors/git/git.ts'),
        import('../text/content-types.ts'),
      ]);
      const cache_dir = section.settings.cache_dir ?? join(options.loaded.dataDir, 'git', section.name);
      return gitConnector({ name: section.name, ...section.settings, cache_dir, takes: isKnownTextName });
    }
    case 's3': {
      const [{ s3Connector }, { isKnownTextName }] = await Promise.all([
        import('../connectors/s3/s3.ts'),
        import('../text/content-types.ts'),
      ]);
      const { lookUp } = options.loaded;
      return s3Connector({ name: section.name, ...section.settings, takes: isKnownTextName }, { lookUp });
    }
    case 'script': {
      const { luaConnector } = await import('../lua/lua-connector.ts');
      const { path } = section.script;
      const isTrusted = async () => (await options.isTrusted?.(({ files }) => files[0]?.path === path)) ?? true;
      return luaConnector(section.script, { ...options, isTrusted });
    }
  }
}

/** Validates settings from the web app by the rules of the config file. */
function parseStored({ type, name, settings }: Source, loaded: LoadedConfig): ConnectorSection {
  const table = { id: name, section: `${type}:${name}`, raw: settings };
  const parsed = parseConnector(type, table, { ...loaded, folder: loaded.home, file: null });
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

/** Rejects a missing folder at once, rather than at the first sync. */
async function checkFolder(section: ConnectorSection): Promise<void> {
  if (section.type !== 'filesystem') return;
  const { root } = section.settings;
  const found = await stat(root).catch(() => undefined);
  if (found?.isDirectory()) return;
  const why = found ? `${root} is a file, not a folder.` : `The folder ${root} does not exist.`;
  throw new HubError('INVALID_ARGUMENTS', why, { details: { issues: [{ path: 'settings.root', message: why }] } });
}

interface ConfiguredSourcesOptions {
  document: ConfigDocument;
  /** Throws HubError for invalid settings. */
  toConnector(section: ConnectorSection): Promise<Connector>;
  /** Called after a change of the config file, if it is watched. */
  onChange(): void;
}

interface KnownConnector {
  raw: string;
  connector: Promise<Connector>;
}

/** Follows the document sources in the config file. */
function configuredSources({ document, toConnector, onChange }: ConfiguredSourcesOptions) {
  const { loaded } = document;
  let known = new Map<string, KnownConnector>();
  let read = readSections(loaded);
  if (document.isWatched) {
    document.watch(() => {
      const before = read;
      void current().then(() => {
        if (JSON.stringify(read) !== JSON.stringify(before)) onChange();
      });
    });
  }
  return {
    /** Returns the same connector for an unchanged section. The connector of a broken section fails when it scans. */
    async connectors(): Promise<readonly Connector[]> {
      await current();
      const next: typeof known = new Map();
      for (const section of read.sections) {
        const raw = JSON.stringify(section);
        const label = `${section.type}:${section.name}`;
        const before = known.get(label);
        const connect = () => usable(section, () => toConnector(section));
        next.set(label, before?.raw === raw ? before : { raw, connector: connect() });
      }
      known = next;
      return [...(await Promise.all([...known.values()].map((each) => each.connector))), ...read.broken.map(unusable)];
    },
    problems: (): readonly SourceProblem[] => read.problems,
  };

  async function current(): Promise<void> {
    read = readSections(await document.current());
  }

  function readSections({ config, text, trust, unset }: Pick<ConfigVersion, 'config' | 'text' | 'trust' | 'unset'>) {
    const { sections, broken, problems } = connectorSections({ ...loaded, config, text, trust, unset });
    return { sections, broken, problems: [...problems, ...settingsForRestart(loaded, { config, trust })] };
  }
}

/** Returns a connector that fails on scanning if its settings are invalid, so that the other sources keep working. */
async function usable(
  { type, name }: Pick<Connector, 'type' | 'name'>,
  connect: () => Promise<Connector>,
): Promise<Connector> {
  try {
    return await connect();
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    return unusable({ type, name, message: error.message });
  }
}

/** Stands in for a broken source: its documents are kept, and a sync reports the problem. */
function unusable({ type, name, message }: Pick<Connector, 'type' | 'name'> & { message: string }): Connector {
  return {
    type,
    name,
    location: message,
    // biome-ignore lint/correctness/useYield: the scan fails before it could yield
    async *scan() {
      throw new HubError('INVALID_CONFIG', message);
    },
  };
}
