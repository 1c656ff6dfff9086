import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { ScriptSection } from '../../config/script-sections.ts';
import type { FileState } from '../../config/section-files.ts';
import type { KnowledgeReader } from '../../knowledge/knowledge.ts';
import type { MetadataCache, ScriptMetadata } from '../metadata-cache.ts';
import { functionsKey, type LuaHost, type LuaJob, type LuaSandbox } from '../sandbox/lua-job.ts';

/** What all scripts may access, before the permissions of their sections. */
export interface ScriptHost {
  logger: Logger;
  clock: Clock;
  /** Reads an environment variable. A script can read only the names that its section allows. */
  lookUp(name: string): string | undefined;
  knowledge?: KnowledgeReader;
  /** Without it, all scripts run at the start of the hub to read their metadata. */
  metadata?: MetadataCache;
}

export interface ScriptParts {
  sandbox: LuaSandbox;
  host: ScriptHost;
}

/** Independent of the section's timeout, so that a slow thread start on a busy machine does not lose a script. */
const metadataTimeoutMs = 10_000;

/** A script with its text. The same text is used for its metadata and for its runs. */
export interface Script {
  section: ScriptSection;
  table: LuaJob['table'];
  file: Pick<FileState, 'text' | 'hash'>;
}

/** Returns the metadata of a script. Throws whatever the sandbox throws. */
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
  // For a job without a call, the sandbox returns an object with this key.
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

/** Returns the parts of a job that all runs of a script share. */
export function jobOf({ section, table, file }: Omit<Script, 'file'> & Partial<Pick<Script, 'file'>>) {
  const { path, shown, timeoutMs } = section;
  return { file: path, shown, table, timeoutMs, ...(file && { text: file.text }) };
}

export function hostFor(host: ScriptHost, section: ScriptSection): LuaHost {
  const refused = new Set<string>();
  return {
    ...(host.knowledge && { knowledge: host.knowledge }),
    logger: host.logger,
    env(name) {
      if (section.allowEnv.includes(name)) return host.lookUp(name);
      if (host.lookUp(name) !== undefined && !refused.has(name)) {
        refused.add(name);
        const message = `env.get("${name}") is nil, because the config does not allow it. Add allow_env = ["${name}"] to [${section.section}].`;
        host.logger.warn({ script: section.shown }, message);
      }
      return undefined;
    },
    allowedHosts: section.allowHosts,
    section: section.section,
  };
}

/** Turns `{}` into an empty list for keys that need a list, because Lua does not distinguish empty lists and records. */
export function withLists(value: Record<string, unknown>, keys: readonly string[]): Record<string, unknown> {
  const lists = keys.filter((key) => isEmptyRecord(value[key])).map((key) => [key, []]);
  return lists.length === 0 ? value : { ...value, ...Object.fromEntries(lists) };
}

function isEmptyRecord(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0;
}
