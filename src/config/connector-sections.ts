import { isRecord } from '../base/is-record.ts';
import { nearest } from '../base/nearest.ts';
import type { SourceProblem } from '../base/source.ts';
import { fieldIssues } from '../base/validate.ts';
import { describe } from './agents/toml-agents.ts';
import { parseClamped } from './clamp-settings.ts';
import { FilesystemConnectorConfig, GitConnectorConfig, S3ConnectorConfig } from './config.ts';
import { isCtxConfig } from './find-config.ts';
import { type LoadedConfig, resolvePath, showPath } from './load-config.ts';
import { parseScriptTable, type ScriptSection, type ScriptTable } from './script-sections.ts';
import type { ConfigTrust } from './trust/config-trust.ts';

/** How globs are read: in a file of Context Harness, `*` also matches `/`, and a glob without `/` matches the root only. */
interface Globs {
  isCtxGlobs: boolean;
}

/** A document source in the config or the store. Paths are absolute. */
export type ConnectorSection =
  | { type: 'filesystem'; name: string; settings: FilesystemConnectorConfig & Globs; confinedTo?: string }
  | { type: 'git'; name: string; settings: GitConnectorConfig & Globs }
  | { type: 's3'; name: string; settings: S3ConnectorConfig & Globs }
  | { type: 'script'; name: string; script: ScriptSection };

type Folders = Pick<LoadedConfig, 'folder' | 'home' | 'cwd' | 'file'>;
type Issue = { path: string; message: string };

const connectorTypes = ['filesystem', 'git', 's3', 'script'] as const;
type ConnectorType = (typeof connectorTypes)[number];
/** The key that marks a table as a source, to tell `[connectors.filesystem] root = …` from a table of named sources. */
const mainKeys: Record<ConnectorType, string> = { filesystem: 'root', git: 'url', s3: 'bucket', script: 'path' };

/** A source with an invalid section. */
export interface BrokenConnector {
  type: ConnectorType;
  name: string;
  message: string;
}

/** Reads all `[connectors.TYPE.NAME]` sections. An invalid one becomes a problem and does not affect the others. */
export function connectorSections(loaded: Folders & Pick<LoadedConfig, 'config' | 'text' | 'trust' | 'unset'>): {
  sections: ConnectorSection[];
  broken: BrokenConnector[];
  problems: SourceProblem[];
} {
  const sections: ConnectorSection[] = [];
  const broken: BrokenConnector[] = [];
  const problems: SourceProblem[] = [];
  const shown = showPath(loaded.file ?? '', loaded.cwd);
  for (const [type, value] of Object.entries(loaded.config.connectors)) {
    if (!isConnectorType(type)) {
      report([{ path: `connectors.${type}`, message: `is not a connector type; ${hint(type)}` }]);
    } else if (!isRecord(value)) {
      report([{ path: `connectors.${type}`, message: `expected tables, [connectors.${type}.NAME].` }]);
    } else {
      for (const table of tablesOf(type, value)) {
        const parsed = parseConnector(type, table, loaded);
        if ('section' in parsed) sections.push(confined(parsed.section, loaded.trust));
        else if (isSourceName(table.id)) broken.push({ type, name: table.id, message: sentence(parsed.issues) });
        report(parsed.issues);
      }
    }
  }
  // The config reports the unset variable.
  for (const { path, message } of loaded.unset) {
    const [section, type = '', name = 'default'] = path;
    if (section === 'connectors' && isConnectorType(type) && isSourceName(name)) broken.push({ type, name, message });
  }
  return { sections, broken, problems };

  function report(issues: readonly Issue[]): void {
    if (issues.length === 0) return;
    problems.push({ place: shown, message: sentence(issues) });
  }

  function sentence(issues: readonly Issue[]): string {
    return describe(loaded.text, shown, issues).slice(0, 600);
  }
}

/** A source that applies without trust must stay inside the folder, even if one of its folders later becomes a link. */
function confined(section: ConnectorSection, { folder, confined: names }: ConfigTrust): ConnectorSection {
  if (section.type !== 'filesystem' || folder === null || !names.has(section.name)) return section;
  return { ...section, confinedTo: folder };
}

/** Parses one source. `issues` next to a section name unknown keys. */
export function parseConnector(
  type: ConnectorType,
  table: ScriptTable,
  folders: Folders,
): { section: ConnectorSection; issues: Issue[] } | { issues: Issue[] } {
  const { id: name, section } = table;
  if (!isSourceName(name)) {
    const message = 'a source name must have 1–64 characters of A–Z a–z 0–9 _ . - and start with a letter or digit';
    return { issues: [{ path: section.slice(0, 120), message }] };
  }
  if (type === 'script') {
    const parsed = parseScriptTable(folders, table);
    if (!('section' in parsed)) return parsed;
    return { section: { type, name, script: parsed.section }, issues: parsed.issues };
  }
  const raw = withGlobs(table.raw, folders);
  const parsed = parseSettings(type, raw, folders);
  const issues = parsed.issues.map(({ path, message }) => inside(section, path, message));
  if (!('source' in parsed)) return { issues };
  const known = Object.keys(schemas[type].shape);
  const unknown = Object.keys(raw).filter((key) => !known.includes(key));
  return {
    section: { ...parsed.source, name },
    issues: [...issues, ...unknown.map((key) => inside(section, key, unused(key, known)))],
  };
}

const schemas = { filesystem: FilesystemConnectorConfig, git: GitConnectorConfig, s3: S3ConnectorConfig } as const;

function parseSettings(type: keyof typeof schemas, raw: Record<string, unknown>, folders: Folders) {
  const style = { isCtxGlobs: isCtxConfig(folders.file) };
  switch (type) {
    case 'filesystem': {
      const { result, clamped } = parseClamped(FilesystemConnectorConfig, raw);
      if (!result.success) return { issues: fieldIssues(result.error) };
      const root = resolvePath(folders, result.data.root);
      return { source: { type, settings: { ...result.data, ...style, root } }, issues: clamped };
    }
    case 'git': {
      const { result, clamped } = parseClamped(GitConnectorConfig, raw);
      if (!result.success) return { issues: fieldIssues(result.error) };
      return {
        source: { type, settings: { ...result.data, ...style, ...paths(result.data, folders) } },
        issues: clamped,
      };
    }
    case 's3': {
      const { result, clamped } = parseClamped(S3ConnectorConfig, raw);
      if (!result.success) return { issues: fieldIssues(result.error) };
      return { source: { type, settings: { ...result.data, ...style } }, issues: clamped };
    }
  }
}

function paths({ url, cache_dir }: GitConnectorConfig, folders: Folders) {
  return {
    // Resolves only explicit paths. Git interprets URLs and `host:path`.
    url: /^(?:\.{1,2}|~)?[/\\]|^\.{1,2}$/.test(url) ? resolvePath(folders, url) : url,
    ...(cache_dir !== undefined && { cache_dir: resolvePath(folders, cache_dir) }),
  };
}

/** Accepts `globs`, the Context Harness name for `include_globs`, and applies its default. */
function withGlobs({ globs, ...raw }: Record<string, unknown>, { file }: Folders): Record<string, unknown> {
  if (globs === undefined)
    return raw.include_globs === undefined && isCtxConfig(file) ? { ...raw, include_globs: ctxGlobs } : raw;
  return raw.include_globs === undefined ? { ...raw, include_globs: globs } : { ...raw, globs };
}

/** What Context Harness reads without include_globs. */
const ctxGlobs = ['**/*.md', '**/*.txt'];

function tablesOf(type: ConnectorType, value: Record<string, unknown>): ScriptTable[] {
  const path = `connectors.${type}`;
  if (value[mainKeys[type]] === undefined || isRecord(value[mainKeys[type]])) {
    return Object.entries(value).map(([id, raw]) => toTable(id, `${path}.${id}`, raw));
  }
  const named = Object.entries(value).filter(([, raw]) => isRecord(raw));
  const settings = Object.fromEntries(Object.entries(value).filter(([, raw]) => !isRecord(raw)));
  return [
    { id: 'default', section: path, raw: settings },
    ...named.map(([id, raw]) => toTable(id, `${path}.${id}`, raw)),
  ];
}

/** Treats a value that is not a table as empty, so that the message names the missing key. */
function toTable(id: string, section: string, raw: unknown): ScriptTable {
  return { id, section, raw: isRecord(raw) ? raw : {} };
}

function isSourceName(name: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/.test(name);
}

function isConnectorType(type: string): type is ConnectorType {
  return connectorTypes.some((each) => each === type);
}

function hint(typed: string): string {
  const near = nearest(typed, connectorTypes);
  return near ? `did you mean [connectors.${near}]?` : `available: ${connectorTypes.join(', ')}.`;
}

function inside(section: string, path: string, message: string): Issue {
  return { path: path === '' ? section : `${section}.${path}`, message };
}

function unused(key: string, known: readonly string[]): string {
  const near = nearest(key, known);
  return `is unknown and was ignored.${near ? ` Did you mean "${near}"?` : ''}`;
}
