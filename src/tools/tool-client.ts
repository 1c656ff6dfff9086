import { HubError } from '../base/hub-error.ts';
import type { JsonObject } from '../base/json.ts';

export type LogLevel = 'debug' | 'info' | 'notice' | 'warning' | 'error' | 'critical' | 'alert' | 'emergency';

/** What a running tool may say to, or ask of, the client that called it. */
export interface ToolClient {
  progress(progress: number, options?: { total?: number; message?: string }): void;
  log(level: LogLevel, data: unknown, logger?: string): void;
  /** Asks the client's model. Refused with UNAVAILABLE where the client cannot. `params` is MCP's `sampling/createMessage`. */
  sample(params: JsonObject): Promise<JsonObject>;
  /** Asks the person. Refused with UNAVAILABLE where the client cannot. `params` is MCP's `elicitation/create`. */
  elicit(params: JsonObject): Promise<JsonObject>;
  /** Asks which folders the client works in (MCP's `roots/list`). Refused with UNAVAILABLE where the client cannot. */
  roots(): Promise<JsonObject>;
}

function refuse(what: string): Promise<never> {
  return Promise.reject(
    new HubError('UNAVAILABLE', `This client cannot ${what}. Call the tool from an MCP client that can.`),
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
