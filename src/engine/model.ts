import { z } from 'zod';
import type { JsonSchema } from '../base/json-schema/json-schema.ts';
import type { Message, ProviderOptions } from './message.ts';

/** What a model is told of a tool. The schema is the server's own, untouched. */
export interface ToolDefinition {
  name: string;
  description: string;
  inputSchema: JsonSchema;
  providerOptions?: ProviderOptions | undefined;
}

export interface ModelSettings {
  maxOutputTokens?: number | undefined;
  temperature?: number | undefined;
  topP?: number | undefined;
  topK?: number | undefined;
  stopSequences?: readonly string[] | undefined;
  seed?: number | undefined;
  providerOptions?: ProviderOptions | undefined;
}

export interface ModelRequest {
  /** System text, joined; empty when there is none. */
  system: string;
  /** Without system messages. */
  messages: readonly Message[];
  tools: readonly ToolDefinition[];
  settings: ModelSettings;
  signal: AbortSignal;
  /** Headers for the request, a traceparent for one. */
  headers?: Readonly<Record<string, string>> | undefined;
}

export const Usage = z.object({
  inputTokens: z.number(),
  outputTokens: z.number(),
  /** Part of `inputTokens`. */
  cachedInputTokens: z.number(),
  /** Part of `outputTokens`. */
  reasoningTokens: z.number(),
});
export type Usage = z.infer<typeof Usage>;

export type FinishReason = 'stop' | 'length' | 'tool-calls' | 'content-filter' | 'error' | 'other';

export type ModelEvent =
  | { type: 'text'; delta: string }
  /** Pieces with one `id` make one block; the options of all its pieces are merged, and a delta may be empty. */
  | { type: 'reasoning'; id?: string | undefined; delta: string; providerOptions?: ProviderOptions | undefined }
  /** Whole; `input` is parsed. One that is no JSON comes with `invalidInput`, the text as it was. */
  | {
      type: 'tool-call';
      id: string;
      name: string;
      input: unknown;
      invalidInput?: string | undefined;
      providerOptions?: ProviderOptions | undefined;
    }
  | { type: 'finish'; reason: FinishReason; usage: Usage };

/** US dollars for a million tokens. */
export interface ModelPrice {
  input: number;
  output: number;
  cachedInput?: number | undefined;
}

/**
 * One model of one provider. `stream` retries what may pass (429, 5xx, a lost connection) only before its first event; afterwards it throws.
 * Failures are HubErrors: MODEL_ERROR (`details: {status?, isRetryable}`), NOT_CONFIGURED, CANCELLED, TIMEOUT.
 */
export interface Model {
  /** `openai`, `anthropic`, … for traces. */
  readonly provider: string;
  /** As the provider calls it. */
  readonly modelId: string;
  readonly price: ModelPrice | undefined;
  stream(request: ModelRequest): AsyncIterable<ModelEvent>;
}
