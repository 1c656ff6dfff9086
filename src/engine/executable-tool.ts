import type { JsonSchema } from '../base/json-schema/json-schema.ts';
import type { Purse } from '../tools/caller.ts';
import type { ContentBlock, ToolContent } from '../tools/content.ts';
import type { ProviderOptions } from './message.ts';

export interface ToolMetadata {
  name: string;
  description: string;
  inputSchema: JsonSchema;
  /** `mcp` for a tool of an external server. */
  type?: 'function' | 'mcp' | undefined;
  /** The external server, for tools of one. */
  serverName?: string | undefined;
  providerOptions?: ProviderOptions | undefined;
  /** Whether a person is asked first. */
  requiresConfirmation?: boolean | ((input: unknown) => boolean | Promise<boolean>) | undefined;
  /** Longer runs end with TIMEOUT. */
  timeoutMs?: number | undefined;
}

export interface ToolRunContext {
  signal: AbortSignal;
  /** The id that the model gave the call. */
  toolUseId: string;
  /** The trace that the call is a part of; empty when nothing is traced. */
  traceparent?: string | undefined;
  /** Of the run: what the call uses of models is paid from it. */
  purse?: Purse | undefined;
}

/** A context that has tools. */
export interface ToolOwner {
  removeTool(name: string): boolean;
}

/** A tool that the engine can run. */
export interface ExecutableTool {
  metadata: ToolMetadata;
  /** Content blocks; also text, or data that is turned into JSON text. */
  run(
    input: unknown,
    context?: ToolRunContext,
  ): Promise<ContentBlock[] | string | object> | ContentBlock[] | string | object;
  /** The same with `isError` and structured content, for tools that know them; the engine prefers it. */
  execute?(input: unknown, context: ToolRunContext): Promise<ToolContent>;
  /** A context took it in; for tools that must be taken out again when what they need ends. */
  onAdded?(owner: ToolOwner): void;
  /** The context has it no more. */
  onRemoved?(owner: ToolOwner): void;
}
