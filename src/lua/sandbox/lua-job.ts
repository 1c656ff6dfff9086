import type { HubError } from '../../base/hub-error.ts';
import type { Logger } from '../../base/logger.ts';
import type { KnowledgeReader } from '../../knowledge/knowledge.ts';

/** One run of a script in the sandbox: reads its metadata or calls one of its functions. */
export interface LuaJob {
  /** Absolute. `fs.*` is limited to its folder by real path. */
  file: string;
  /** The text to run instead of the file's current contents, such as the last valid version of a script that is being edited. */
  text?: string;
  /** How messages name the file. */
  shown: string;
  /** The global table that the script fills or returns; a returned table wins. It exists, empty, when the script starts. */
  table: 'agent' | 'tool' | 'connector';
  /** Without a call, the job returns the metadata: the table without functions, and their names under `functionsKey`. */
  call?: { name: string; args: readonly LuaArgument[] };
  /** Starts when the job is submitted. A job that had to wait for a thread keeps at least half of it. */
  timeoutMs: number;
  signal?: AbortSignal;
  /** Receives the list that the function returns, in batches; the job's own result is then null. The thread waits for each batch, which does not count towards the timeout. */
  takeItems?(items: readonly LuaItem[]): Promise<void>;
  host: LuaHost;
}

/** An entry of a returned list: its data, or why it cannot be read. */
export type LuaItem = { index: number; value: unknown } | { index: number; name?: string; error: string };

/**
 * The key for the sorted names of the table's functions in metadata: `['resolve']`. The sandbox sets it last, so a script cannot.
 *
 * An empty Lua table is `{}` in every result, because Lua does not distinguish empty lists and records. Callers that expect a list
 * must accept `{}`. A null that a script receives is nil.
 */
export const functionsKey = 'functions()';

/** JSON data, or the `context` table with `search`, `get`, `sources` and further data. */
type LuaArgument = { data: unknown } | { context: Record<string, unknown> };

/** What a script may access outside the sandbox. */
export interface LuaHost {
  /** If absent, `context.search`, `get` and `sources` raise an error. */
  knowledge?: KnowledgeReader;
  logger: Logger;
  /** Answers `env.get`. Returns undefined for names that the config does not allow. */
  env(name: string): string | undefined;
  /** Private hosts and addresses that `http.*` may reach: `localhost`, `10.0.0.5:8080`, `*.corp.example`. */
  allowedHosts: readonly string[];
  /** The section of the script, for messages that name the line to add. */
  section?: string;
  /** Called after each request of `http.*`, with the error of a request that failed. `hasArrived`: a server has replied, even if only with a redirect. */
  onRequest?(request: { method: string; hasArrived: boolean; error?: HubError }): void;
}

/** Runs scripts in worker threads with Lua 5.4, one job per thread at a time. A job past its deadline is stopped with its thread. */
export interface LuaSandbox {
  /** Resolves to JSON data, in which an integer beyond 2^53 that a tool returns is a bigint. Throws TIMEOUT, CANCELLED, or AGENT_ERROR or TOOL_ERROR (depending on the table) with file and line. */
  run(job: LuaJob): Promise<unknown>;
  close(): Promise<void>;
}
