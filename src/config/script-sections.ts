import { isRecord } from '../base/is-record.ts';
import type { Logger } from '../base/logger.ts';
import type { SourceProblem } from '../base/source.ts';
import { fieldIssues } from '../base/validate.ts';
import { agentFileAt } from './agents/agent-folder.ts';
import { agentTables } from './agents/parse-toml-agents.ts';
import { describe } from './agents/toml-agents.ts';
import { parseClamped } from './clamp-settings.ts';
import { ScriptConfig } from './config.ts';
import type { ConfigDocument, ConfigVersion } from './config-document.ts';
import { type LoadedConfig, resolvePath, showPath } from './load-config.ts';

/** A script or code file in the config. */
export interface ScriptSection {
  name: string;
  /** `agents.script.NAME`. */
  section: string;
  /** Absolute. */
  path: string;
  /** How messages name the file. */
  shown: string;
  timeoutMs: number;
  /** All keys that are not our own settings. */
  config: Readonly<Record<string, unknown>>;
  allowEnv: readonly string[];
  allowHosts: readonly string[];
}

export interface SectionList {
  /** Unchanged sections keep their objects. An invalid section keeps its last valid version. */
  sections: readonly ScriptSection[];
  problems: readonly SourceProblem[];
}

/** The current sections of one kind. */
export interface WatchedSections {
  readonly isWatched: boolean;
  readonly logger: Logger;
  /** Returns the same object until something changes. */
  current(): Promise<SectionList> | SectionList;
  watch(onChange: () => void): () => void;
  /** Returns false if the user has not trusted the current content of the file. It must not run then. */
  isTrusted(section: ScriptSection): Promise<boolean>;
}

/** Follows `[agents.script.*]`, `[agents.code.*]`, `[agents.file.*]` and `[tools.script.*]` of the config file. */
export function scriptSections(
  document: ConfigDocument,
): Record<'agents' | 'code' | 'files' | 'tools', WatchedSections> {
  return {
    agents: watched(document, ({ config, shown }) => ({
      tables: agentTables(config.agents, shown).script,
      problems: [],
    })),
    code: watched(document, ({ config, shown }) => ({ tables: agentTables(config.agents, shown).code, problems: [] })),
    files: watched(
      document,
      ({ config, shown }) => ({ tables: agentTables(config.agents, shown).file, problems: [] }),
      agentFileAt,
    ),
    tools: watched(document, toolTables),
  };
}

type Issue = { path: string; message: string };

/** A table with its name. */
export interface ScriptTable {
  id: string;
  section: string;
  raw: Record<string, unknown>;
}

interface FoundTables {
  tables: readonly ScriptTable[];
  problems: SourceProblem[];
}

/** `fileAt` finds the file for a path that may be a folder. */
function watched(
  document: ConfigDocument,
  find: (version: ConfigVersion) => FoundTables,
  fileAt?: (path: string) => string,
): WatchedSections {
  let read: ConfigVersion | undefined;
  let known = new Map<string, { raw: string; section: ScriptSection }>();
  let list: SectionList = { sections: [], problems: [] };
  return {
    isWatched: document.isWatched,
    logger: document.logger,
    current() {
      const version = document.current();
      return version instanceof Promise ? version.then(accept) : accept(version);
    },
    watch: (onChange) => document.watch(onChange),
    isTrusted: ({ path }) => document.isTrusted(({ files }) => files[0]?.path === path),
  };

  function accept(version: ConfigVersion): SectionList {
    if (version.text === read?.text && version.trust === read.trust) return list;
    read = version;
    const { tables, problems } = find(version);
    const next: typeof known = new Map();
    for (const table of tables) {
      const before = known.get(table.id);
      const raw = JSON.stringify(table);
      const parsed = before?.raw === raw ? before : parseScriptTable(document.loaded, table, fileAt);
      if ('section' in parsed) next.set(table.id, { raw, section: parsed.section });
      if ('issues' in parsed && parsed.issues.length > 0) problems.push(toProblem(version, table, parsed.issues));
      if (!('section' in parsed) && before) next.set(table.id, before);
    }
    known = next;
    list = { sections: [...known.values()].map((each) => each.section), problems };
    return list;
  }
}

/** A scan fetches all documents of a source. */
const scanTimeoutMs = 300_000;

/** Parses a section. Messages contain no values, because `${VAR}` may have inserted a secret. */
export function parseScriptTable(
  loaded: Pick<LoadedConfig, 'folder' | 'home' | 'cwd'>,
  { id, section, raw }: ScriptTable,
  fileAt: (path: string) => string = (each) => each,
): { section: ScriptSection; issues: Issue[] } | { issues: Issue[] } {
  const isConnector = section.startsWith('connectors.');
  const given = isConnector ? { timeout: scanTimeoutMs / 1_000, ...raw } : raw;
  const { result, clamped } = parseClamped(ScriptConfig, given);
  const inSection = ({ path, message }: Issue) => ({ path: path ? `${section}.${path}` : section, message });
  if (!result.success) return { issues: fieldIssues(result.error).map(inSection) };
  const { path, timeout, allow_env, allow_hosts, ...config } = result.data;
  const file = fileAt(resolvePath(loaded, path));
  return {
    section: {
      name: id,
      section,
      path: file,
      shown: showPath(file, loaded.cwd),
      timeoutMs: Math.ceil(timeout * 1_000),
      config,
      allowEnv: allow_env,
      allowHosts: allow_hosts,
    },
    issues: clamped.map(inSection),
  };
}

function toProblem(
  { text, shown }: ConfigVersion,
  { id, section }: ScriptTable,
  issues: readonly { path: string; message: string }[],
): SourceProblem {
  const agentId = section.startsWith('agents.') ? { agentId: id.slice(0, 80) } : {};
  return { ...agentId, place: shown, message: describe(text, shown, issues).slice(0, 600) };
}

function toolTables({ config, text, shown }: ConfigVersion): FoundTables {
  const tables: ScriptTable[] = [];
  const problems: SourceProblem[] = [];
  const report = (path: string, message: string) =>
    problems.push({ place: shown, message: describe(text, shown, [{ path, message }]).slice(0, 600) });
  for (const [word, value] of Object.entries(config.tools)) {
    const path = `tools.${word}`;
    if (word !== 'script') report(path, 'is unknown and was ignored. Define a script tool as [tools.script.NAME].');
    else if (!isRecord(value)) report(path, 'expected tables, [tools.script.NAME] with a path.');
    else {
      for (const [id, raw] of Object.entries(value)) {
        const section = `${path}.${id}`;
        if (isRecord(raw)) tables.push({ id, section, raw });
        else report(section, `expected a table, [${section}] with a path.`);
      }
    }
  }
  return { tables, problems };
}

/** A file that is named on a command line. */
export type NamedFile = Pick<ScriptSection, 'name' | 'path' | 'shown'>;

/** Adds files to the sections of the config. A file replaces a section with the same name. */
export function withFiles(sections: WatchedSections, files: readonly NamedFile[]): WatchedSections {
  if (files.length === 0) return sections;
  const named = files.map(toSection);
  const taken = new Set(files.map(({ name }) => name));
  let known: { from: SectionList; joined: SectionList } | undefined;
  function join(from: SectionList): SectionList {
    if (known?.from !== from) {
      const others = from.sections.filter(({ name }) => !taken.has(name));
      known = { from, joined: { ...from, sections: [...named, ...others] } };
    }
    return known.joined;
  }
  return {
    isWatched: sections.isWatched,
    logger: sections.logger,
    current() {
      const now = sections.current();
      return now instanceof Promise ? now.then(join) : join(now);
    },
    watch: (onChange) => sections.watch(onChange),
    // A file that is named on the command line was chosen by the user.
    isTrusted: async (section) => named.includes(section) || sections.isTrusted(section),
  };
}

function toSection(file: NamedFile): ScriptSection {
  return { ...file, section: `agents.file.${file.name}`, timeoutMs: 0, config: {}, allowEnv: [], allowHosts: [] };
}
