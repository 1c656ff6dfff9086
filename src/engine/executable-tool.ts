import type { JsonSchema } from '../base/json-schema/json-schema.ts';
import type { Purse, RunCall } from '../tools/caller.ts';
import type { ContentBlock, ToolContent } from '../tools/content.ts';
import type { RunReading } from '../tools/outside-text.ts';
import type { ProviderOptions } from './message.ts';

/** The server of a tool. */
export interface MCPToolConfig {
  serverName: string;
  serverUrl?: string | undefined;
  transport?: string | undefined;
}

export interface ToolMetadata {
  name: string;
  description: string;
  inputSchema: JsonSchema;
  /** `mcp` for a tool of an external server. */
  type?: 'function' | 'mcp' | undefined;
  /** The external server that the tool belongs to, if any. */
  serverName?: string | undefined;
  /** How the tool's server is reached. */
  mcpConfig?: MCPToolConfig | undefined;
  providerOptions?: ProviderOptions | undefined;
  /** Whether a call needs approval. */
  requiresConfirmation?: boolean | ((input: unknown) => boolean | Promise<boolean>) | undefined;
  /** The question for whoever approves a call. */
  confirmationMessage?: string | ((input: unknown) => string) | undefined;
  /** Whether a call can send something out or destroy something. After text from outside was read, it needs approval in any case. */
  canHarm?: boolean | ((input: unknown) => boolean) | undefined;
  /** Where the text in its results comes from, if it comes from outside. */
  readsOutside?: string | undefined;
  /** Longer calls fail with TIMEOUT. */
  timeoutMs?: number | undefined;
}

export interface ToolRunContext {
  signal: AbortSignal;
  /** The model's id for the call. */
  toolUseId: string;
  /** The trace that the call belongs to; empty without tracing. */
  traceparent?: string | undefined;
  /** The run's purse, which pays for the models that the call uses. */
  purse?: Purse | undefined;
  /** What the run has read from outside. A call whose result contains such text adds to it. */
  reading?: RunReading | undefined;
  /** The call, if the run is stored. */
  runCall?: RunCall | undefined;
}

/** A context that has tools. */
export interface ToolOwner {
  removeTool(name: string): boolean;
}

/** A tool that the engine can run. */
export interface ExecutableTool {
  metadata: ToolMetadata;
  /** Returns content blocks, text, or data that becomes JSON text. */
  run(
    input: unknown,
    context?: ToolRunContext,
  ): Promise<ContentBlock[] | string | object> | ContentBlock[] | string | object;
  /** Like `run`, but returns `isError` and structured content too. The engine prefers it. */
  execute?(input: unknown, context: ToolRunContext): Promise<ToolContent>;
  /** Called when the tool is added to a context, so that it can be removed when its server disconnects. */
  onAdded?(owner: ToolOwner): void;
  /** Called when the tool is removed from a context. */
  onRemoved?(owner: ToolOwner): void;
}
