import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { replacePrivateFile } from '../base/private-files.ts';
import { hasScripts } from '../config/context-harness/find-scripts.ts';
import { type ConfigSearch, dataDirOf, findConfigFile, trustFile } from '../config/find-config.ts';
import { listStateOf } from '../db/sqlite/sqlite-list-state.ts';
import type { Greeting } from '../mcp-server/protocol/greeting.ts';
import { version } from '../version.ts';

/** The view and the config that `zoo mcp` was started with. */
export interface GreetingRequest extends ConfigSearch {
  agent: string | undefined;
  member: string | undefined;
}

interface CachedGreeting {
  /** Everything that determines the replies, except the database. */
  key: string;
  database: string;
  /** The state of agents, members and servers in the database. */
  state: string;
  greeting: Greeting;
}

/** The number of views to cache, newest first. The clients of one user use only a few. */
const maxCached = 8;
/** Matches sections whose files, scripts or servers affect the tool list, and values from the environment. */
const opensElsewhere = /^\s*\[{0,2}\s*["']?(?:agents|tools|registries|mcp_servers|mcpServers|a2a)\b|\$\{/m;

/**
 * Returns the cached replies for this view if nothing that determines them has changed; undefined otherwise. Works without
 * loading the hub, so that an MCP client does not have to wait for it.
 */
export function findGreeting(request: GreetingRequest): Greeting | undefined {
  try {
    const key = keyOf(request);
    const cached = key === undefined ? undefined : readCache(request).find((each) => each.key === key);
    return cached && listStateOf(cached.database) === cached.state ? cached.greeting : undefined;
  } catch {
    // The hub will report the problem with a better message.
    return undefined;
  }
}

export interface GreetingWriter {
  /** Reads the state of the database, and returns a function that stores replies computed after that. */
  before(database: string): (greeting: Greeting) => void;
}

/**
 * Returns a writer that caches the replies for the next start. Call it before the hub reads the config: state that is read before
 * the replies are computed can be outdated, but never too new. If caching fails, the next start is only slower.
 */
export function greetingWriter(request: GreetingRequest): GreetingWriter {
  const key = attempt(() => keyOf(request));
  return {
    before(database) {
      const state = key === undefined ? undefined : attempt(() => listStateOf(database));
      return (greeting) => {
        if (key !== undefined && state !== undefined) attempt(() => save(request, { key, database, state, greeting }));
      };
    },
  };
}

function save(request: GreetingRequest, entry: CachedGreeting): void {
  const { key } = entry;
  if (keyOf(request) !== key) return;
  const all = readCache(request);
  if (JSON.stringify(all.find((each) => each.key === key)) === JSON.stringify(entry)) return;
  const text = JSON.stringify([entry, ...all.filter((each) => each.key !== key)].slice(0, maxCached));
  replacePrivateFile(fileOf(request), text);
}

/** Returns undefined on errors, such as an invalid config or a busy database. */
function attempt<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}

function fileOf(request: GreetingRequest): string {
  return join(dataDirOf(request), 'cache', 'greetings.json');
}

function readCache(request: GreetingRequest): CachedGreeting[] {
  try {
    const entries: unknown = JSON.parse(readFileSync(fileOf(request), 'utf8'));
    // Only `save` writes this file.
    return Array.isArray(entries) ? (entries as CachedGreeting[]) : [];
  } catch {
    return [];
  }
}

/** Returns undefined if more than the config's text and a SQLite file determine the replies. */
function keyOf(request: GreetingRequest): string | undefined {
  if (request.env.DATABASE_URL) return undefined;
  const config = findConfigFile(request);
  // The scripts in .ctx belong to the config, although it does not name them.
  if (config && hasScripts(join(config.folder, '.ctx'))) return undefined;
  const text = config === null ? '' : readFileSync(config.file, 'utf8');
  if (opensElsewhere.test(text)) return undefined;
  const trusted = config?.isFound ? statSync(trustFile(dataDirOf(request)), { throwIfNoEntry: false }) : undefined;
  // A rebuild keeps the version but changes the time of its files.
  const built = statSync(new URL(import.meta.url)).mtimeMs;
  const { agent, member } = request;
  return JSON.stringify([
    version,
    built,
    dataDirOf(request),
    agent,
    member,
    config?.file,
    config?.folder,
    text,
    trusted?.mtimeMs,
  ]);
}
