import type { JsonObject, JsonValue } from '../base/json.ts';
import type { ContentBlock } from '../tools/content.ts';
import type { Envelope } from '../tools/outside-text.ts';

/** A tool call that the model made. */
export interface ToolUseBlock {
  type: 'tool_use';
  id: string;
  name: string;
  input: unknown;
  /** Data that the provider expects back with the next request. */
  providerOptions?: ProviderOptions | undefined;
}

export interface ToolResultBlock {
  type: 'tool_result';
  toolUseId: string;
  name: string;
  content: readonly ContentBlock[];
  structuredContent?: JsonValue | undefined;
  isError: boolean;
  /** Set if the content contains text from outside. The model sees it in this envelope. */
  outside?: Envelope | undefined;
}

export interface ReasoningBlock {
  type: 'reasoning';
  text: string;
  providerOptions?: ProviderOptions | undefined;
}

/** Options by provider, such as `{openai: {…}}`. */
export type ProviderOptions = { [provider: string]: JsonObject };

export type MessageBlock = ContentBlock | ToolUseBlock | ToolResultBlock | ReasoningBlock;

export interface Message {
  role: 'system' | 'user' | 'assistant' | 'tool';
  content: readonly MessageBlock[];
}

/** One entry of `COMInput.timeline`. */
export interface TimelineEntry {
  kind: 'message';
  message: Message;
}
