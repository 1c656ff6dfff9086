import { resolve } from 'node:path';
import type { Agent } from '../../agents/agent.ts';
import { isRecord } from '../../base/is-record.ts';
import { isInside, realPath } from '../../base/real-path.ts';
import type { Config, FilesystemConnectorConfig, RetrievalConfig } from '../config.ts';
import { fromHome } from '../find-config.ts';
import { type LookUp, type RawConfig, variablesIn } from '../read-config.ts';

/** Something in a config that executes, connects, sends, deletes or loosens. The user trusts it as a whole. */
export interface HeldPart {
  /** Where it is in the file: `['mcp_servers', 'files']`. */
  path: readonly string[];
  /** As written, before `${VAR}` is expanded. */
  value: unknown;
  /** Why an entry is held that would otherwise apply at once. */
  why?: string;
  /** Only the keys of the table itself belong to the part: `[connectors.filesystem]` may contain named sources, too. */
  isOwnKeys?: true;
}

/** The folders that decide whether a source is inside. */
export interface FolderPlace {
  /** The folder of the config. */
  folder: string;
  home: string;
  dataDir: string;
}

/** A config that was found in the working folder. */
export interface FoundPlace extends FolderPlace {
  /** The real path of `folder`. */
  realFolder: string;
  lookUp: LookUp;
}

type Split = (value: unknown, place: FolderPlace) => HeldPart[];

type Half =
  /** Held until trusted. `depth` is the number of keys that lead to a part: 2 for `[providers.NAME]`. */
  | { half: 'held'; depth: 1 | 2 | 3 }
  /** Inert: applies at once, except for the parts that the function returns. */
  | { half: 'inert'; except: Split };

/**
 * Which half of a found config each section belongs to. A new section does not compile until it has a row. When in doubt, hold it:
 * only text for models and reading inside the folder are inert.
 */
export const halves: Record<keyof typeof Config.shape, Half> = {
  agents: { half: 'inert', except: splitAgents },
  connectors: { half: 'inert', except: splitConnectors },
  retrieval: { half: 'inert', except: splitRetrieval },
  // The name of an agent, to suggest it.
  workspace: { half: 'inert', except: (value) => fromEnvironment(['workspace'], value) ?? [] },
  // Where data is kept, and who can reach the hub.
  db: { half: 'held', depth: 1 },
  server: { half: 'held', depth: 1 },
  // Code, programs and connections.
  tools: { half: 'held', depth: 3 },
  mcp_servers: { half: 'held', depth: 2 },
  mcpServers: { half: 'held', depth: 2 },
  providers: { half: 'held', depth: 2 },
  embedding: { half: 'held', depth: 1 },
  a2a: { half: 'held', depth: 3 },
  events: { half: 'held', depth: 3 },
  // Rights and limits.
  permissions: { half: 'held', depth: 1 },
  engine: { half: 'held', depth: 1 },
  context: { half: 'held', depth: 1 },
  team: { half: 'held', depth: 1 },
  // What is written, and what is deleted. The database may be shared with other folders.
  log: { half: 'held', depth: 1 },
  chats: { half: 'held', depth: 1 },
  runs: { half: 'held', depth: 1 },
  chunking: { half: 'held', depth: 1 },
  // The scripts of a registry are judged separately.
  registries: { half: 'inert', except: () => [] },
  vector_index: { half: 'inert', except: () => [] },
};

/** Whether a value of an inert section is held. */
type FieldRule = 'inert' | ((value: unknown) => boolean);

/** The fields of an inline agent, which is text for a model. A new field does not compile until it has a row. */
const agentFields: Record<keyof typeof Agent.shape, FieldRule> = {
  id: 'inert',
  source: 'inert',
  name: 'inert',
  description: 'inert',
  version: 'inert',
  tags: 'inert',
  mode: 'inert',
  systemPrompt: 'inert',
  skillCategories: 'inert',
  skills: 'inert',
  rules: 'inert',
  references: 'inert',
  // The tools it asks for. Other settings decide whether they need approval.
  tools: 'inert',
  arguments: 'inert',
  exposes: 'inert',
  shareContext: 'inert',
  // Passages for its own prompt. Anyone who can read the prompt can search the knowledge base, too.
  knowledge: 'inert',
  // Files are read only inside the folder. A page is fetched.
  contextRefs: namesPages,
  contextBudget: 'inert',
  model: 'inert',
  // Options for a provider can make it store conversations, or let the model search the web. A limit on turns can be raised.
  modelSettings: (value) =>
    isRecord(value) && Object.entries(value).some(([key, each]) => isRecord(each) || /^max_?chat_?turns$/i.test(key)),
  toolPermission: (value) => value !== 'always' && value !== 'tool',
  appearanceSeed: 'inert',
  // Shown on the card, never opened.
  provider: 'inert',
  iconUrl: 'inert',
  documentationUrl: 'inert',
};

const sourceFields: Record<keyof typeof FilesystemConnectorConfig.shape, FieldRule> = {
  // Compared with the folder below.
  root: 'inert',
  // A glob with the exact name of a file includes it even if it is ignored, hidden or looks like a secret.
  include_globs: namesFiles,
  exclude_globs: 'inert',
  follow_symlinks: (value) => value !== false,
  ignore_files: (value) => value !== true,
  max_extract_bytes: 'inert',
  tags: 'inert',
};

const retrievalFields: Record<keyof typeof RetrievalConfig.shape, FieldRule> = {
  hybrid_alpha: 'inert',
  candidate_k_keyword: 'inert',
  candidate_k_vector: 'inert',
  final_limit: 'inert',
  group_by: 'inert',
  doc_agg: 'inert',
  max_chunks_per_doc: 'inert',
};

/** Lists what a found config may not do without trust. Everything else applies at once. */
export function findHeldParts(raw: RawConfig, place: FolderPlace): HeldPart[] {
  return Object.entries(raw).flatMap(([name, value]) => {
    if (!isSection(name)) return [];
    const row = halves[name];
    return row.half === 'inert' ? row.except(value, place) : partsOf([name], value, row.depth);
  });
}

export function isSection(name: string): name is keyof typeof halves {
  return Object.hasOwn(halves, name);
}

/** Returns the config without these parts. */
export function withoutParts(raw: RawConfig, parts: readonly HeldPart[]): RawConfig {
  const own = new Set(parts.filter(({ isOwnKeys }) => isOwnKeys).map(({ path }) => JSON.stringify(path)));
  const whole = new Set(parts.filter(({ isOwnKeys }) => !isOwnKeys).map(({ path }) => JSON.stringify(path)));
  const copy = (value: unknown, path: readonly string[]): unknown => {
    if (!isRecord(value)) return value;
    const isCut = own.has(JSON.stringify(path));
    const kept = Object.entries(value).filter(
      ([key, each]) => !whole.has(JSON.stringify([...path, key])) && !(isCut && !isRecord(each)),
    );
    return Object.fromEntries(kept.map(([key, each]) => [key, path.length < 4 ? copy(each, [...path, key]) : each]));
  };
  return Object.fromEntries(
    Object.entries(raw).flatMap(([name, value]) => {
      if (whole.has(JSON.stringify([name]))) return [];
      // The values of unknown sections are not even expanded.
      return [[name, isSection(name) ? copy(value, [name]) : {}]];
    }),
  );
}

/** Descends while there are only tables, at most to `depth`. An empty table holds nothing. */
function partsOf(path: readonly string[], value: unknown, depth: number): HeldPart[] {
  if (!isRecord(value)) return [{ path, value }];
  const entries = Object.entries(value);
  if (path.length < depth && entries.every(([, each]) => isRecord(each)))
    return entries.flatMap(([key, each]) => partsOf([...path, key], each, depth));
  return entries.length === 0 ? [] : [{ path, value }];
}

const kinds = ['inline', 'script', 'code', 'file'];

/** An agent without a file is inert, except for the fields that are held. */
function splitAgents(agents: unknown): HeldPart[] {
  if (!isRecord(agents)) return [];
  return Object.entries(agents).flatMap(([name, raw]) => {
    if (!kinds.includes(name)) return splitAgent(['agents', name], raw);
    if (!isRecord(raw)) return [];
    const held = (id: string, each: unknown) => {
      const path = ['agents', name, id];
      if (name === 'inline') return splitAgent(path, each);
      return isRecord(each) ? [{ path, value: each }] : [];
    };
    return Object.entries(raw).flatMap(([id, each]) => held(id, each));
  });
}

function splitAgent(path: readonly string[], raw: unknown): HeldPart[] {
  if (!isRecord(raw)) return [];
  if ('path' in raw) return [{ path, value: raw }];
  return fromEnvironment(path, raw) ?? heldFields(path, raw, agentFields);
}

/** A value from the environment could be a secret, and the inert half reaches models and the index. */
function fromEnvironment(path: readonly string[], value: unknown): HeldPart[] | undefined {
  const names = variablesIn(value);
  return names.length === 0 ? undefined : [{ path, value, why: `takes ${names.join(', ')} from the environment` }];
}

function heldFields(
  path: readonly string[],
  raw: Record<string, unknown>,
  rules: Readonly<Record<string, FieldRule>>,
): HeldPart[] {
  return Object.entries(raw)
    .filter(([key, value]) => isHeldField(rules, key, value))
    .map(([key, value]) => ({ path: [...path, key], value }));
}

/** Agents also accept keys in camel case. Unknown keys are refused later. */
function isHeldField(rules: Readonly<Record<string, FieldRule>>, key: string, value: unknown): boolean {
  const camel = key.replace(/_([a-z])/g, (_whole, letter: string) => letter.toUpperCase());
  const rule = [key, camel].filter((name) => Object.hasOwn(rules, name)).map((name) => rules[name])[0];
  return typeof rule === 'function' && rule(value);
}

function splitRetrieval(retrieval: unknown): HeldPart[] {
  if (!isRecord(retrieval)) return [];
  return fromEnvironment(['retrieval'], retrieval) ?? heldFields(['retrieval'], retrieval, retrievalFields);
}

/** A folder inside the folder of the config is inert. Repositories and scripts are not. */
function splitConnectors(connectors: unknown, place: FolderPlace): HeldPart[] {
  if (!isRecord(connectors)) return [];
  const { filesystem, ...others } = connectors;
  return [...partsOf(['connectors'], others, 3), ...folderSources(filesystem, place).flatMap(({ held }) => held)];
}

/** Returns the names of the sources that apply only because they are inside the folder. They must stay inside it. */
export function confinedSources(raw: RawConfig, place: FolderPlace): string[] {
  const connectors = isRecord(raw.connectors) ? raw.connectors : {};
  return folderSources(connectors.filesystem, place)
    .filter(({ held }) => held.length === 0)
    .map(({ name }) => name);
}

function folderSources(value: unknown, place: FolderPlace): { name: string; held: HeldPart[] }[] {
  if (!isRecord(value)) return [];
  const path = ['connectors', 'filesystem'];
  const named = Object.entries(value).flatMap(([name, raw]) =>
    isRecord(raw) ? [{ name, held: splitFolder({ path: [...path, name], value: raw }, raw, place) }] : [],
  );
  const own = Object.fromEntries(Object.entries(value).filter(([, each]) => !isRecord(each)));
  if (Object.keys(own).length === 0) return named;
  return [{ name: 'default', held: splitFolder({ path, value: own, isOwnKeys: true }, own, place) }, ...named];
}

/** A source is held as a whole: without one of its settings, it would index something else. */
function splitFolder(part: HeldPart, raw: Record<string, unknown>, place: FolderPlace): HeldPart[] {
  const why =
    fromEnvironment(part.path, raw)?.[0]?.why ??
    Object.entries(raw)
      .filter(([key, value]) => isHeldField(sourceFields, key === 'globs' ? 'include_globs' : key, value))
      .map(([key]) => `sets ${key}, which opens more than the folder's ordinary files`)[0] ??
    (typeof raw.root === 'string' ? whyOutside(raw.root, place) : undefined);
  return why === undefined ? [] : [{ ...part, why }];
}

function namesPages(refs: unknown): boolean {
  const list = Array.isArray(refs) ? refs : [refs];
  return list.some((ref) => /^\s*[a-z][a-z0-9+.-]+:/i.test(String(ref)));
}

function namesFiles(globs: unknown): boolean {
  const list = Array.isArray(globs) ? globs : [globs];
  return list.some((glob) => {
    const parts = String(glob).split('/');
    const last = parts.at(-1) ?? '';
    const isExact = last !== '' && !/[*?[\]{}()!+@\\]/.test(last) && !/\.(?:md|mdx|rst|adoc)$/i.test(last);
    return isExact || parts.some((part) => /^[{([]*\.[^./]/.test(part));
  });
}

function whyOutside(root: string, { folder, home, dataDir }: FolderPlace): string | undefined {
  const target = realPath(resolve(folder, fromHome(root, home)));
  if (!isInside(target, realPath(folder))) return `reads ${target}, which is outside this folder`;
  const contained = [home, dataDir].map(realPath).find((each) => isInside(each, target));
  return contained === undefined ? undefined : `reads ${target}, which contains ${contained}`;
}
