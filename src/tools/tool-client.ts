import { HubError } from '../base/hub-error.ts';
import type { JsonObject } from '../base/json.ts';

export type LogLevel = 'debug' | 'info' | 'notice' | 'warning' | 'error' | 'critical' | 'alert' | 'emergency';

export interface AskOptions {
  /** Identifies the question when answers arrive with a repeated call (MCP 2026-07-28). By default, questions are numbered. */
  key?: string;
  /** Withdraws the question. */
  signal?: AbortSignal;
}

/** A client's connection: the same object for all its calls. */
export interface ToolConnection {
  /** Aborted when the connection ends. */
  readonly signal: AbortSignal;
}

/**
 * The client that called a tool, as the running tool sees it. A client of MCP 2026-07-28 answers a question by calling again, and
 * the tool then runs from the start: ask before you change anything.
 */
export interface ToolClient {
  progress(progress: number, options?: { total?: number; message?: string }): void;
  log(level: LogLevel, data: unknown, logger?: string): void;
  /** Asks the client's model. Rejects with UNAVAILABLE if the client cannot do that. `params` is MCP's `sampling/createMessage`. */
  sample(params: JsonObject, options?: AskOptions): Promise<JsonObject>;
  /** Asks the user. Rejects with UNAVAILABLE if the client cannot do that. `params` is MCP's `elicitation/create`. */
  elicit(params: JsonObject, options?: AskOptions): Promise<JsonObject>;
  /** Asks which folders the client works in (MCP's `roots/list`). Rejects with UNAVAILABLE if the client cannot do that. */
  roots(options?: AskOptions): Promise<JsonObject>;
  /** Announces a long wait: a connection that can be resumed is closed until the result is there. */
  releaseConnection?(): void;
  /** Undefined if each call stands alone, as in MCP 2026-07-28. */
  readonly connection?: ToolConnection | undefined;
  /** False for a client that cannot answer questions, so that its calls need not be told apart from those of similar clients. */
  readonly takesQuestions?: boolean;
}

/** Returns one object for all calls of a client that can be asked something; undefined for other clients. */
export function clientOf(client: ToolClient | undefined): object | undefined {
  if (!client || client === silentToolClient || client.takesQuestions === false) return undefined;
  return client.connection ?? client;
}

function refuse(what: string): Promise<never> {
  return Promise.reject(
    new HubError('UNAVAILABLE', `This client cannot ${what}. Call the tool from an MCP client that can.`, {
      details: { retryable: false },
    }),
  );
}

/** The client of surfaces with nobody at the other end. */
export const silentToolClient: ToolClient = {
  progress: () => {},
  log: () => {},
  sample: () => refuse('answer sampling requests'),
  elicit: () => refuse('ask its user a question'),
  roots: () => refuse('list its roots'),
};
