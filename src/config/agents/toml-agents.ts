import type { AgentEntry, AgentSource } from '../../agents/agent-source.ts';
import type { SourceProblem, SourceSnapshot } from '../../base/source.ts';
import type { ConfigDocument, ConfigVersion } from '../config-document.ts';
import { lineOfKey } from '../line-of-key.ts';
import { at } from '../read-config.ts';
import { isStrange } from '../trust/config-trust.ts';
import { type AgentTable, agentTables, parseAgentTable } from './parse-toml-agents.ts';

interface Known {
  entry: AgentEntry;
  /** The table as text, to detect changes. */
  raw: string;
}

/**
 * The inline agents of the config file. A broken or missing file keeps the last valid agents. With `of`, only if
 * the user has trusted the folder before (`known`), or only if not (`strange`): such agents must not replace the user's own.
 */
export function tomlAgentSource(document: ConfigDocument, of?: 'known' | 'strange'): AgentSource {
  let known = new Map<string, Known>();
  let read: ConfigVersion | undefined;
  let problems: SourceProblem[] = [];
  let snapshot: SourceSnapshot<AgentEntry> = { entries: [], problems };

  return {
    kind: 'toml',
    snapshot() {
      const version = document.current();
      return version instanceof Promise ? version.then(accept) : accept(version);
    },
    watch: (onChange) => document.watch(onChange),
  };

  function accept(version: ConfigVersion): SourceSnapshot<AgentEntry> {
    if (version === read) return snapshot;
    if (read?.text !== version.text || read.trust !== version.trust) readTables(version);
    read = version;
    const isBroken = version.problem !== undefined && isOurs(version);
    publish(isBroken ? [brokenFile(version.shown, version.problem)] : problems);
    return snapshot;
  }

  function isOurs({ trust }: ConfigVersion): boolean {
    return of === undefined || of === (isStrange(trust) ? 'strange' : 'known');
  }

  function readTables(version: ConfigVersion): void {
    const { config, text, modifiedAt, shown } = version;
    const found = agentTables(isOurs(version) ? config.agents : {}, shown);
    const next = new Map<string, Known>();
    problems = found.problems;
    for (const table of found.inline) {
      const before = known.get(table.id);
      const parsed = toKnown(table, before, { shown, updatedAt: Math.trunc(modifiedAt) });
      if ('entry' in parsed) next.set(table.id, parsed);
      else
        problems.push({ agentId: table.id.slice(0, 80), place: shown, message: describe(text, shown, parsed.issues) });
      if (!('entry' in parsed) && before) next.set(table.id, before);
    }
    known = next;
  }

  function brokenFile(place: string, message = ''): SourceProblem {
    return { place, message: known.size > 0 ? `${message} The last valid agents stay in use.` : message };
  }

  function publish(now: SourceProblem[]): void {
    const entries = [...known.values()].map((each) => each.entry);
    if (isSame(entries, snapshot.entries) && JSON.stringify(now) === JSON.stringify(snapshot.problems)) return;
    snapshot = { entries, problems: now };
  }
}

interface Issue {
  path: string;
  message: string;
}

function toKnown(
  table: AgentTable,
  before: Known | undefined,
  { shown, updatedAt }: { shown: string; updatedAt: number },
): Known | { issues: Issue[] } {
  const raw = JSON.stringify(table.raw);
  if (before?.raw === raw) return before;
  const parsed = parseAgentTable(table);
  return 'agent' in parsed ? { raw, entry: { agent: parsed.agent, definedIn: shown, updatedAt } } : parsed;
}

/** Formats issues with file, line, key and rule. */
export function describe(text: string, shown: string, issues: readonly Issue[]): string {
  const line = lineOfKey(text, issues[0]?.path.split('.') ?? []);
  return `${at(shown, line)}: ${issues.map((issue) => `${issue.path}: ${issue.message}`).join('; ')}`;
}

function isSame(a: readonly AgentEntry[], b: readonly AgentEntry[]): boolean {
  return a.length === b.length && a.every((entry, index) => entry === b[index]);
}
