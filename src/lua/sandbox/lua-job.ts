import type { Logger } from '../../base/logger.ts';
import type { KnowledgeReader } from '../../knowledge/knowledge.ts';

/** One run of a script in the sandbox: its metadata, or one of its functions. */
export interface LuaJob {
  /** Absolute. `fs.*` stays inside its folder by real path. */
  file: string;
  /** What to run, where it is not what the file holds now: the last good version of a script that is being edited. */
  text?: string;
  /** How messages name the file. */
  shown: string;
  /** The global table the script fills, returns, or both; what it returns wins. It is there, empty, when the script begins. */
  table: 'agent' | 'tool' | 'connector';
  /** Without a call the table is returned with its functions left out and their names under `functionsKey`: the metadata. */
  call?: { name: string; args: readonly LuaArgument[] };
  /** From the moment the job is handed over; one that had to wait for a thread keeps at least half of it. */
  timeoutMs: number;
  signal?: AbortSignal;
  host: LuaHost;
}

/**
 * In metadata, the sorted names of the table's functions: `['resolve']`. The sandbox writes it last, so a script cannot.
 *
 * An empty Lua table is `{}` in every result, for Lua does not tell an empty list from an empty record: whoever expects a
 * list takes `{}` for an empty one. A null inside a record that a script receives is absent there, in a list it is `json.null`.
 */
export const functionsKey = 'functions()';

/** JSON data, or the `context` table with `search`, `get`, `sources` and further data. */
export type LuaArgument = { data: unknown } | { context: Record<string, unknown> };

/** What a script may reach outside. */
export interface LuaHost {
  /** Absent: `context.search` and its like say that there is no knowledge base here. */
  knowledge?: KnowledgeReader;
  logger: Logger;
  /** `env.get` of a name that config allows; undefined for every other. */
  env(name: string): string | undefined;
  /** Names or addresses that `http.*` may reach though they are private: `localhost`, `10.0.0.5:8080`, `*.corp.example`. */
  allowedHosts: readonly string[];
}

/** Worker threads with Lua 5.4. One job at a time in each; a job past its deadline ends with its thread. */
export interface LuaSandbox {
  /** JSON data. Throws TIMEOUT, CANCELLED, AGENT_ERROR or TOOL_ERROR (by table) with the script's file and line. */
  run(job: LuaJob): Promise<unknown>;
  close(): Promise<void>;
}
