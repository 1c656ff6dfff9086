import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { ScriptSection } from '../../config/script-sections.ts';
import type { FileState } from '../../config/section-files.ts';
import type { KnowledgeReader } from '../../knowledge/knowledge.ts';
import type { MetadataCache, ScriptMetadata } from '../metadata-cache.ts';
import { functionsKey, type LuaHost, type LuaJob, type LuaSandbox } from '../sandbox/lua-job.ts';

/** What every script may reach, before its section says what more. */
export interface ScriptHost {
  logger: Logger;
  clock: Clock;
  /** Reads the environment; a script gets only the names that its section allows. */
  lookUp(name: string): string | undefined;
  knowledge?: KnowledgeReader;
  /** Without it every script is read when the hub starts. */
  metadata?: MetadataCache;
}

export interface ScriptParts {
  sandbox: LuaSandbox;
  host: ScriptHost;
}

/** Whatever limit its section sets for work: a thread that starts on a busy machine must not make a script unknown. */
const metadataTimeoutMs = 10_000;

/** A script as it was read: what runs is what its metadata were read from. */
export interface Script {
  section: ScriptSection;
  table: LuaJob['table'];
  file: Pick<FileState, 'text' | 'hash'>;
}

/** What the script says of itself. Throws as the sandbox does. */
export async function readMetadata(parts: ScriptParts, script: Script): Promise<ScriptMetadata> {
  const cache = parts.host.metadata;
  const key = `1:${script.table}:${script.file.hash}`;
  const known = await cache?.get(key);
  if (known) return known;
  const metadata = await runForMetadata(parts, script);
  cache?.set(key, metadata);
  return metadata;
}

async function runForMetadata({ sandbox, host }: ScriptParts, script: Script): Promise<ScriptMetadata> {
  const { knowledge: _, ...rest } = host;
  // The sandbox gives an object with this key for every job without a call.
  const found = (await sandbox.run({
    ...jobOf(script),
    timeoutMs: metadataTimeoutMs,
    host: hostFor(rest, script.section),
  })) as {
    [functionsKey]: string[];
  };
  const { [functionsKey]: functions, ...fields } = found;
  return { fields, functions };
}

/** The parts of a job that are the same for every run of a script. */
export function jobOf({ section, table, file }: Omit<Script, 'file'> & Partial<Pick<Script, 'file'>>) {
  const { path, shown, timeoutMs } = section;
  return { file: path, shown, table, timeoutMs, ...(file && { text: file.text }) };
}

export function hostFor(host: ScriptHost, section: ScriptSection): LuaHost {
  return {
    ...(host.knowledge && { knowledge: host.knowledge }),
    logger: host.logger,
    env: (name) => (section.allowEnv.includes(name) ? host.lookUp(name) : undefined),
    allowedHosts: section.allowHosts,
  };
}

/** Lua does not tell an empty list from an empty record: where a list belongs, `{}` is one. */
export function withLists(value: Record<string, unknown>, keys: readonly string[]): Record<string, unknown> {
  const lists = keys.filter((key) => isEmptyRecord(value[key])).map((key) => [key, []]);
  return lists.length === 0 ? value : { ...value, ...Object.fromEntries(lists) };
}

function isEmptyRecord(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0;
}
