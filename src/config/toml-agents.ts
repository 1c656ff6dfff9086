import { stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentEntry, AgentSource, SourceProblem, SourceSnapshot } from '../agents/agent-source.ts';
import { HubError } from '../base/hub-error.ts';
import { lineOfKey } from './line-of-key.ts';
import { type LoadedConfig, showPath } from './load-config.ts';
import { type AgentTable, agentTables, parseAgentTable } from './parse-toml-agents.ts';
import { at, type ConfigText, parseConfig, readConfigText } from './read-config.ts';
import { watchFile } from './watch-file.ts';

interface Known {
  entry: AgentEntry;
  /** The table it was read from, as text: the same text is the same agent. */
  raw: string;
}

/** A file written a moment ago may change again within the resolution of its time stamp. */
const uncertainMs = 2_000;
const settleMs = 25;
const mostRounds = 20;

/** The inline agents of the config file. A broken file, or one that is gone, keeps the last good agents. */
export function tomlAgentSource({ loaded, watch }: { loaded: LoadedConfig; watch: boolean }): AgentSource {
  const file = loaded.file ?? '';
  const shown = showPath(file, loaded.cwd);
  const listeners = new Set<() => void>();
  let known = new Map<string, Known>();
  let snapshot: SourceSnapshot = { entries: [], problems: [] };
  let last: (ConfigText & { readAt: number }) | undefined;
  let hasLooked = false;
  let checking: Promise<SourceSnapshot> | undefined;
  let watcher: ReturnType<typeof watchFile> | undefined;

  return {
    kind: 'toml',
    snapshot: () => (watcher?.isReady && hasLooked ? snapshot : check(false)),
    watch(onChange) {
      listeners.add(onChange);
      if (watch) watcher ??= watchFile(file, () => void check(true));
      return () => {
        listeners.delete(onChange);
      };
    },
    async close() {
      await watcher?.close();
      await checking;
    },
  };

  /** One check at a time; one that must look again waits for the one under way. */
  function check(isCertainlyNew: boolean): Promise<SourceSnapshot> {
    if (checking && isCertainlyNew) return checking.then(() => check(true));
    checking ??= refresh(isCertainlyNew).finally(() => {
      checking = undefined;
    });
    return checking;
  }

  async function refresh(isCertainlyNew: boolean): Promise<SourceSnapshot> {
    if (!isCertainlyNew && (await isUnchanged())) return snapshot;
    try {
      const found = await readSettled().catch(forget);
      const isSameText = found.text === last?.text;
      last = { ...found, readAt: Date.now() };
      if (!isSameText) accept(found);
    } catch (error) {
      if (error instanceof HubError) keep(error.message);
      else throw error;
    } finally {
      hasLooked = true;
    }
    return snapshot;
  }

  /** Many editors empty a file before they write it: a new text counts when it stays the same. */
  async function readSettled(): Promise<ConfigText> {
    let found = await readConfigText(file, shown);
    for (let round = 0; hasLooked && round < mostRounds; round += 1) {
      if (found.text === last?.text) return found;
      await sleep(settleMs);
      const again = await readConfigText(file, shown);
      if (again.text === found.text) return again;
      found = again;
    }
    return found;
  }

  /** A file that cannot be read is read from the start when it is back. */
  function forget(error: unknown): never {
    last = undefined;
    throw error;
  }

  async function isUnchanged(): Promise<boolean> {
    if (!last || last.readAt - last.modifiedAt < uncertainMs) return false;
    const found = await stat(file).catch(() => undefined);
    return found?.mtimeMs === last.modifiedAt && found.size === last.size;
  }

  function accept({ text, modifiedAt }: ConfigText): void {
    const { tables, problems } = agentTables(parseConfig(text, shown, loaded.lookUp).agents, shown);
    const next = new Map<string, Known>();
    for (const table of tables) {
      const found = toKnown(table, modifiedAt);
      if ('entry' in found) next.set(table.id, found);
      else problems.push({ agentId: table.id.slice(0, 80), place: shown, message: describe(text, found.issues) });
      const before = known.get(table.id);
      if (!('entry' in found) && before) next.set(table.id, before);
    }
    known = next;
    publish(problems);
  }

  function toKnown(table: AgentTable, updatedAt: number): Known | { issues: { path: string; message: string }[] } {
    const raw = JSON.stringify(table.raw);
    const before = known.get(table.id);
    if (before?.raw === raw) return before;
    const parsed = parseAgentTable(table);
    return 'agent' in parsed
      ? { raw, entry: { agent: parsed.agent, place: shown, updatedAt: Math.trunc(updatedAt) } }
      : parsed;
  }

  function describe(text: string, issues: { path: string; message: string }[]): string {
    const line = lineOfKey(text, issues[0]?.path.split('.') ?? []);
    return `${at(shown, line)}: ${issues.map((issue) => `${issue.path}: ${issue.message}`).join('; ')}`;
  }

  function keep(message: string): void {
    const isLoaded = known.size > 0;
    publish([{ place: shown, message: isLoaded ? `${message} The agents read before stay as they were.` : message }]);
  }

  function publish(problems: SourceProblem[]): void {
    const entries = [...known.values()].map((each) => each.entry);
    if (isSame(entries, snapshot.entries) && JSON.stringify(problems) === JSON.stringify(snapshot.problems)) return;
    snapshot = { entries, problems };
    for (const listener of listeners) listener();
  }
}

function isSame(a: readonly AgentEntry[], b: readonly AgentEntry[]): boolean {
  return a.length === b.length && a.every((entry, index) => entry === b[index]);
}
