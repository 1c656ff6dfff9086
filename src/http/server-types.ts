import type { JsonValue } from '../base/json.ts';
import type { StoredRun, StoredRunDetail } from '../engine/run-store.ts';
import type { ProviderInfo } from '../models/language-models.ts';
import type { ServerInfo, ServerLogLine, ServerState, ServerTool, ServerTrial } from '../servers/external-servers.ts';
import type { ServerDefinition } from '../servers/server-definition.ts';
import type { ContentBlock } from '../tools/content.ts';
import type { ToolBody } from './api-types.ts';

/** The bodies of the routes about external servers, tools, models and runs, as the web app sees them. */

/** Times of a state and of a server are milliseconds since the epoch: they are counted from, not printed. */
export type ServerBody = ServerInfo;
export type { ServerState };

/** A server with its tools by name and status; their definitions are in its ServerBody. */
export type ServerSummary = Omit<ServerInfo, 'tools' | 'instructions'> & {
  tools: Pick<ServerTool, 'remoteName' | 'localName' | 'status'>[];
};

/** `GET /api/servers`; `GET /api/servers/{name}` answers with a ServerBody. */
export interface ServerListBody {
  servers: ServerSummary[];
}

/**
 * `POST /api/servers` with `{name, definition}` answers 201 with a ServerBody; `PUT /api/servers/{name}` takes `{definition, revision}`;
 * `DELETE` answers `{success, name}`. `POST /api/servers/{name}/connect`, `/disconnect`, `/reconnect`, `/sign-out` and
 * `/accept` (`{tools: [{tool, hash}]}`, without it everything) answer with a ServerBody, and so does
 * `PATCH /api/servers/{name}/tools/{tool}` with `{enabled, alias, description, requiresApproval}`.
 */
export interface ServerInputBody {
  name: string;
  definition: unknown;
}

/** `POST /api/servers/test` with a ServerInputBody: connects, lists, forgets. */
export type ServerTrialBody = ServerTrial;

/** `POST /api/servers/import` with `{text, dryRun}`: the JSON of Claude, Cursor, VS Code, or one server alone. */
export interface ServerImportBody {
  servers: { name: string; definition: ServerDefinition }[];
  /** Entries that were not taken, and why. */
  problems: { name: string; message: string }[];
  /** Empty in a dry run. */
  added: string[];
}

/** `GET /api/servers/{name}/log`. */
export interface ServerLogBody {
  lines: ServerLogLine[];
}

/** `POST /api/servers/{name}/sign-in`: the address to open; null when no sign-in is needed. */
export interface SignInBody {
  url: string | null;
}

/** A tool with where it comes from and who may call it. */
export interface ToolDetailBody extends ToolBody {
  /** Set for a tool of an external server. */
  server: { name: string; remoteName: string } | null;
  isForMembers: boolean;
  requiresApproval: boolean;
  /** Agents whose scope has it. */
  agents: { id: string; name: string }[];
  /** Types of members that may call it. */
  memberTypes: string[];
}

/** `GET /api/tools`. */
export interface ToolDetailListBody {
  tools: ToolDetailBody[];
}

/** `POST /api/tools/{name}/call` with `{input, agentId, memberId}`: through the pipeline; a failed call answers 200 with `ok: false`. */
export type ToolTrialBody =
  | {
      ok: true;
      callId: string;
      durationMs: number;
      content: ContentBlock[];
      structuredContent: JsonValue;
      isError: boolean;
    }
  | {
      ok: false;
      callId: string;
      durationMs: number;
      /** `issues`: the fields that were refused and by which rule. */
      error: { code: string; message: string; issues?: { path: string; message: string }[] };
    };

/** `GET /api/providers`; `PUT /api/providers/{name}/key` with `{key}` and `DELETE` answer with the ProviderInfo. */
export interface ProviderListBody {
  providers: ProviderInfo[];
}

/** `GET /api/providers/{name}/models`. */
export interface ModelListBody {
  models: string[];
}

/** `GET /api/runs?agent&limit&cursor`; `GET /api/runs/{id}` answers with a StoredRunDetail. */
export interface RunListBody {
  runs: StoredRun[];
  cursor: string | null;
}
export type RunBody = StoredRunDetail;
