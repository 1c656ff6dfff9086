import { resolve } from 'node:path';
import { type Agent, AgentMode } from '../../agents/agent.ts';
import type { AgentEntry, AgentSource } from '../../agents/agent-source.ts';
import { HubError } from '../../base/hub-error.ts';
import { shortName } from '../../base/short-name.ts';
import type { Source, SourceSnapshot } from '../../base/source.ts';
import { ServerName } from '../../servers/server-definition.ts';
import type { ConfiguredServer, ConfiguredServers, ServerConfig } from '../../servers/server-specs.ts';
import { showPath } from '../load-config.ts';
import type { WatchedSections } from '../script-sections.ts';
import { secretValues } from '../secret-values.ts';
import { readState, sectionFiles } from '../section-files.ts';
import { agentFileAt, findNeighbours, neighbourFiles, watchedPlaces } from './agent-folder.ts';

/** An agent defined by a data file, with the external servers it defines. */
export interface FileAgent extends AgentEntry {
  servers: readonly ConfiguredServer[];
  /** Problems of its servers. */
  problems: readonly { place: string; message: string }[];
  /** Other parts of the file that the agent works without, or that may be mistakes. */
  notes: readonly { place: string; message: string }[];
}

/** `[agents.file.NAME]`: TsAgent files. Agents and servers come from the same reading. */
export interface AgentFiles {
  source: AgentSource;
  /** The servers that the files define, in addition to those in the config. */
  servers: ServerConfig;
}

/**
 * Follows the agent files. `configured` are the servers of the config, whose names the files must not take. `learn` registers secrets
 * that must never be written.
 */
export function agentFiles(
  sections: WatchedSections,
  configured: ServerConfig,
  learn: (secrets: readonly string[]) => void = () => {},
): AgentFiles {
  const files = sectionFiles<FileAgent>({
    sections,
    companions,
    async load({ name, path, shown, section, config }, { text, companions, modifiedAt }) {
      const parsed = (await reader()).parseAgentFile({
        text,
        path,
        shown,
        id: name,
        companions,
        ...modeIn(section, config),
      });
      learn(secretValues(parsed.variables ?? {}, []));
      return { ...parsed, definedIn: shown, updatedAt: Math.trunc(modifiedAt) };
    },
  });
  const scoped = scopedFiles(files, configured);
  return { source: { kind: 'toml', ...withNotes(scoped) }, servers: serversOfAgentFiles(scoped) };
}

/** `mode` in the section of the config wins over the file, which belongs to another program. Throws INVALID_CONFIG. */
function modeIn(section: string, config: Readonly<Record<string, unknown>>): { mode?: AgentMode } {
  if (config.mode === undefined) return {};
  const mode = AgentMode.safeParse(config.mode);
  if (mode.success) return { mode: mode.data };
  throw new HubError('INVALID_CONFIG', `${section}.mode: must be "interactive", "autonomous" or "tools".`);
}

/** Adds the notes of the agents to the problems. Returns the same object until the files change. */
function withNotes(files: Required<Source<FileAgent>>): Required<Source<FileAgent>> {
  const known = new WeakMap<SourceSnapshot<FileAgent>, SourceSnapshot<FileAgent>>();
  function join(loaded: SourceSnapshot<FileAgent>): SourceSnapshot<FileAgent> {
    const found = known.get(loaded);
    if (found) return found;
    const notes = loaded.entries.flatMap(({ agent, notes }) => notes.map((note) => ({ agentId: agent.id, ...note })));
    const joined = notes.length === 0 ? loaded : { ...loaded, problems: [...loaded.problems, ...notes] };
    known.set(loaded, joined);
    return joined;
  }
  return {
    ...files,
    snapshot() {
      const loaded = files.snapshot();
      return loaded instanceof Promise ? loaded.then(join) : join(loaded);
    },
  };
}

/** Renames servers that files share. Returns the same object until files or config change. */
function scopedFiles(files: Required<Source<FileAgent>>, configured: ServerConfig): Required<Source<FileAgent>> {
  let last:
    | { loaded: SourceSnapshot<FileAgent>; config: ConfiguredServers; scoped: SourceSnapshot<FileAgent> }
    | undefined;
  const scope = (loaded: SourceSnapshot<FileAgent>, config: ConfiguredServers): SourceSnapshot<FileAgent> => {
    if (last?.loaded !== loaded || last.config !== config) {
      const entries = scopeServers(loaded.entries, config);
      const isSame = entries.every((entry, index) => entry === loaded.entries[index]);
      last = { loaded, config, scoped: isSame ? loaded : { ...loaded, entries } };
    }
    return last.scoped;
  };
  const withConfig = (loaded: SourceSnapshot<FileAgent>) => {
    if (loaded.entries.every(({ servers }) => servers.length === 0)) return loaded;
    const config = configured.current();
    return config instanceof Promise ? config.then((now) => scope(loaded, now)) : scope(loaded, config);
  };
  return {
    snapshot() {
      const loaded = files.snapshot();
      return loaded instanceof Promise ? loaded.then(withConfig) : withConfig(loaded);
    },
    watch(onChange) {
      const stops = [files.watch(onChange), configured.watch(onChange)];
      return () => {
        for (const stop of stops) stop();
      };
    },
    close: () => files.close(),
  };
}

/** Reads one agent file, or the one of a folder, that is not in the config. Throws INVALID_CONFIG with file, line and rule. */
export async function readAgentFile(
  file: string,
  { cwd = process.cwd() }: { cwd?: string } = {},
): Promise<FileAgent & { path: string }> {
  const path = agentFileAt(resolve(cwd, file));
  const shown = showPath(path, cwd);
  const { text, companions: texts, modifiedAt } = await readState({ path, shown }, companions.find(path));
  const parsed = (await reader()).parseAgentFile({ text, path, shown, companions: texts });
  return { ...parsed, path, definedIn: shown, updatedAt: Math.trunc(modifiedAt) };
}

const companions = {
  find: (path: string) => neighbourFiles(findNeighbours(path)),
  watched: watchedPlaces,
};

/** Loads the YAML parser with the first agent file. */
const reader = () => import('./parse-agent-file.ts');

function serversOfAgentFiles(files: Required<Source<FileAgent>>): ServerConfig {
  const known = new WeakMap<SourceSnapshot<FileAgent>, ConfiguredServers>();
  return {
    async current() {
      const loaded = await files.snapshot();
      const found = known.get(loaded) ?? joinServers(loaded.entries);
      known.set(loaded, found);
      return found;
    },
    watch: (onChange) => files.watch(onChange),
  };
}

/** Joins two lists of servers. The first server wins if two have the same name. Returns the same object until one changes. */
export function withServers(first: ServerConfig, second: ServerConfig): ServerConfig {
  let last: { parts: readonly ConfiguredServers[]; joined: ConfiguredServers } | undefined;
  return {
    async current() {
      const parts = await Promise.all([first.current(), second.current()]);
      if (!last || parts.some((part, index) => part !== last?.parts[index]))
        last = { parts, joined: joinServers(parts) };
      return last.joined;
    },
    watch(onChange) {
      const stops = [first.watch(onChange), second.watch(onChange)];
      return () => {
        for (const stop of stops) stop();
      };
    },
  };
}

function joinServers(parts: readonly ConfiguredServers[]): ConfiguredServers {
  const servers = new Map<string, ConfiguredServer>();
  const problems = parts.flatMap((part) => part.problems ?? []);
  for (const server of parts.flatMap((part) => part.servers)) {
    const twin = servers.get(server.name);
    if (!twin) servers.set(server.name, server);
    else if (JSON.stringify(twin.raw) !== JSON.stringify(server.raw)) {
      const message = `Server "${server.name.slice(0, 80)}" is already defined in ${twin.definedIn}. This definition is ignored.`;
      problems.push({ place: server.definedIn, message });
    }
  }
  return { servers: [...servers.values()], problems };
}

/**
 * Gives each agent its own servers. A server name that another file or the config also uses becomes `{agent}-{server}`, so that
 * no agent calls the server of another. Agents without shared names are unchanged.
 */
function scopeServers(agents: readonly FileAgent[], configured: ConfiguredServers): readonly FileAgent[] {
  const counts = new Map<string, number>();
  for (const { name } of [...configured.servers, ...agents.flatMap(({ servers }) => servers)])
    counts.set(name, (counts.get(name) ?? 0) + 1);
  return agents.map((entry) => {
    const shared = entry.servers.filter(({ name }) => (counts.get(name) ?? 0) > 1);
    if (shared.length === 0) return entry;
    const names = new Map(shared.map(({ name }) => [name, scopedName(entry.agent.id, name, counts)]));
    return renamed(entry, names);
  });
}

function renamed(entry: FileAgent, names: ReadonlyMap<string, string>): FileAgent {
  const globs = new Map([...names].map(([from, to]) => [`mcp__${from}__*`, `mcp__${to}__*`]));
  const agent: Agent = Object.freeze({
    ...entry.agent,
    tools: entry.agent.tools.map((glob) => globs.get(glob) ?? glob),
  });
  const servers = entry.servers.map((server) => ({ ...server, name: names.get(server.name) ?? server.name }));
  return { ...entry, agent, servers };
}

/** Server names have at most 40 characters. A name that is too long or taken is shortened and gets a digest of nine characters. */
function scopedName(agentId: string, name: string, taken: ReadonlyMap<string, unknown>): string {
  const whole = `${agentId}-${name}`;
  if (ServerName.safeParse(whole).success && !taken.has(whole)) return whole;
  const readable = whole.replace(/[^A-Za-z0-9-]+/g, '-').slice(0, 31);
  return shortName(readable.replace(/^-+/, ''), `${agentId}\0${name}`);
}
