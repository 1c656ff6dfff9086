import { z } from 'zod';
import { HubError } from '../base/hub-error.ts';
import type { JsonSchema } from '../base/json-schema/json-schema.ts';
import type { Message, ProviderOptions } from './message.ts';

/** What the model sees of a tool. The schema is the server's own, unchanged. */
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
  /** The joined system text; may be empty. */
  system: string;
  /** Without system messages. */
  messages: readonly Message[];
  tools: readonly ToolDefinition[];
  settings: ModelSettings;
  signal: AbortSignal;
  /** HTTP headers for the request, such as a traceparent. */
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
  /** Pieces with the same `id` form one block; their options are merged, and a delta may be empty. */
  | { type: 'reasoning'; id?: string | undefined; delta: string; providerOptions?: ProviderOptions | undefined }
  /** A complete call with parsed `input`. If the input is not valid JSON, `invalidInput` has the raw text. */
  | {
      type: 'tool-call';
      id: string;
      name: string;
      input: unknown;
      invalidInput?: string | undefined;
      providerOptions?: ProviderOptions | undefined;
    }
  | { type: 'finish'; reason: FinishReason; usage: Usage };

/** US dollars per million tokens. */
export interface ModelPrice {
  input: number;
  output: number;
  cachedInput?: number | undefined;
}

/** Why a model failed, as far as it decides what to do about it. */
export const ModelFailureReason = z.enum([
  /** The key is missing, wrong, or may not use this model. */
  'key',
  /** Something other than the provider's API answers at the address, or the address does not exist. */
  'address',
  /** Nothing answers at the address, or the connection was lost. */
  'unreachable',
  'timeout',
  /** The provider does not have this model. */
  'model',
  /** The account has no credit left. */
  'quota',
  /** Too many requests right now. */
  'rate',
  /** The conversation is longer than the model can read. */
  'length',
  /** The provider rejected the request for another reason. */
  'request',
  /** The provider itself has a problem. */
  'provider',
]);
export type ModelFailureReason = z.infer<typeof ModelFailureReason>;

/**
 * One model of one provider. `stream` retries temporary failures (429, 5xx, a lost connection) only before its first event; afterwards it throws.
 * Failures are HubErrors: MODEL_ERROR (`details: {reason, status?, isRetryable}`), NOT_CONFIGURED, CANCELLED, TIMEOUT.
 */
export interface Model {
  /** `openai`, `anthropic`, … for traces. */
  readonly provider: string;
  /** The provider's name for the model. */
  readonly modelId: string;
  readonly price: ModelPrice | undefined;
  stream(request: ModelRequest): AsyncIterable<ModelEvent>;
}

/** Returns a model object as it is. Throws INVALID_ARGUMENTS for anything else. */
export async function asModel(model: unknown): Promise<Model> {
  const { stream, provider, modelId } = (model ?? {}) as Partial<Model>;
  if (typeof stream === 'function' && typeof provider === 'string' && typeof modelId === 'string')
    return model as Model;
  throw new HubError('INVALID_ARGUMENTS', 'com.setModel() needs a model object: {provider, modelId, price, stream}.');
}
