import { HubError } from '../base/hub-error.ts';
import type { JsonObject } from '../base/json.ts';

export type LogLevel = 'debug' | 'info' | 'notice' | 'warning' | 'error' | 'critical' | 'alert' | 'emergency';

export interface AskOptions {
  /** Names the question where answers arrive with a repeated call (MCP 2026-07-28); by default its place in the order of asking. */
  key?: string;
  /** Withdraws the question: nobody waits for its answer any more. */
  signal?: AbortSignal;
}

/** A client's connection: the same object for all of its calls. */
export interface ToolConnection {
  /** Aborted when the connection ends. */
  readonly signal: AbortSignal;
}

/**
 * What a running tool may say to, or ask of, the client that called it. A client of MCP 2026-07-28 answers by calling
 * again, and the tool then runs from its beginning: ask before changing anything.
 */
export interface ToolClient {
  progress(progress: number, options?: { total?: number; message?: string }): void;
  log(level: LogLevel, data: unknown, logger?: string): void;
  /** Asks the client's model. Refused with UNAVAILABLE where the client cannot. `params` is MCP's `sampling/createMessage`. */
  sample(params: JsonObject, options?: AskOptions): Promise<JsonObject>;
  /** Asks the person. Refused with UNAVAILABLE where the client cannot. `params` is MCP's `elicitation/create`. */
  elicit(params: JsonObject, options?: AskOptions): Promise<JsonObject>;
  /** Asks which folders the client works in (MCP's `roots/list`). Refused with UNAVAILABLE where the client cannot. */
  roots(options?: AskOptions): Promise<JsonObject>;
  /** Says that the answer takes long: a connection that can be resumed is closed until then. */
  releaseConnection?(): void;
  /** Undefined where calls stand alone, as in MCP 2026-07-28. */
  readonly connection?: ToolConnection | undefined;
  /** False for a client that said it can answer nothing: its calls need not be told apart from those of others like it. */
  readonly takesQuestions?: boolean;
}

/** One object for all calls of a client that can be asked something; undefined for a client that cannot. */
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

/** For surfaces with nobody at the other end. */
export const silentToolClient: ToolClient = {
  progress: () => {},
  log: () => {},
  sample: () => refuse('answer sampling requests'),
  elicit: () => refuse('ask its user a question'),
  roots: () => refuse('list its roots'),
};
