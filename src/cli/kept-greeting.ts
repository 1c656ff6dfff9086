import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makePrivateFolder } from '../base/private-files.ts';
import { type ConfigPlace, dataDirOf, findConfigFile } from '../config/find-config.ts';
import { listStateOf } from '../db/sqlite/sqlite-list-state.ts';
import type { Greeting } from '../mcp-server/protocol/greeting.ts';
import { version } from '../version.ts';

/** What `zoo mcp` is asked for. */
export interface GreetingPlace extends ConfigPlace {
  agent: string | undefined;
  member: string | undefined;
}

interface KeptGreeting {
  /** Everything beside the database that the replies follow from. */
  key: string;
  database: string;
  /** What the database says of agents, members and servers. */
  state: string;
  greeting: Greeting;
}

/** Views of a hub that are kept, the newest first: clients of one person use few. */
const maxKept = 8;
/** Sections whose files, scripts or servers have a say in the list of tools, and values that come from the environment. */
const opensElsewhere = /^\s*\[{0,2}\s*["']?(?:agents|tools|mcp_servers|mcpServers|a2a)\b|\$\{/m;

/**
 * The replies of the last hub that served this view, when everything they follow from is as it was; undefined: ask the hub.
 * Needs nothing of the hub, so that an MCP client does not wait until all of it is loaded.
 */
export function findGreeting(place: GreetingPlace): Greeting | undefined {
  try {
    const key = keyOf(place);
    const kept = key === undefined ? undefined : readKept(place).find((each) => each.key === key);
    return kept && listStateOf(kept.database) === kept.state ? kept.greeting : undefined;
  } catch {
    // Whatever is wrong, the hub finds it too, and says it better.
    return undefined;
  }
}

export interface GreetingKeeper {
  /** Reads the state of the database and returns what keeps the replies that are made from now on. */
  before(database: string): (greeting: Greeting) => void;
}

/**
 * Reads the config; call it before the hub does. What the replies follow from is read before they are made, so that a change in
 * between is never kept as current. Replies that cannot be kept only make the next start slower.
 */
export function greetingKeeper(place: GreetingPlace): GreetingKeeper {
  const key = unlessItFails(() => keyOf(place));
  return {
    before(database) {
      const state = key === undefined ? undefined : unlessItFails(() => listStateOf(database));
      return (greeting) => {
        if (key !== undefined && state !== undefined)
          unlessItFails(() => keep(place, { key, database, state, greeting }));
      };
    },
  };
}

function keep(place: GreetingPlace, kept: KeptGreeting): void {
  const { key } = kept;
  if (keyOf(place) !== key) return;
  const all = readKept(place);
  if (JSON.stringify(all.find((each) => each.key === key)) === JSON.stringify(kept)) return;
  const text = JSON.stringify([kept, ...all.filter((each) => each.key !== key)].slice(0, maxKept));
  const file = fileOf(place);
  makePrivateFolder(dirname(file));
  const fresh = `${file}.${process.pid}`;
  writeFileSync(fresh, text, { mode: 0o600 });
  renameSync(fresh, file);
}

/** A config or folder that cannot be used, or a database that is busy. */
function unlessItFails<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}

function fileOf(place: GreetingPlace): string {
  return join(dataDirOf(place), 'cache', 'greetings.json');
}

function readKept(place: GreetingPlace): KeptGreeting[] {
  try {
    const kept: unknown = JSON.parse(readFileSync(fileOf(place), 'utf8'));
    // Written by `keep` only, unless something damaged it.
    return Array.isArray(kept) ? (kept as KeptGreeting[]) : [];
  } catch {
    return [];
  }
}

/** Undefined where more than the config's text and a file of SQLite decides. */
function keyOf(place: GreetingPlace): string | undefined {
  if (place.env.DATABASE_URL) return undefined;
  const file = findConfigFile(place);
  const text = file === null ? '' : readFileSync(file, 'utf8');
  if (opensElsewhere.test(text)) return undefined;
  // A build has the version of the one before; its files have another time.
  const built = statSync(new URL(import.meta.url)).mtimeMs;
  return JSON.stringify([version, built, dataDirOf(place), place.agent, place.member, file, text]);
}
