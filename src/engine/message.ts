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

/** A file by its address, which the provider fetches itself. */
export interface FileLinkBlock {
  type: 'file_link';
  url: string;
  mimeType: string;
}

export type MessageBlock = ContentBlock | ToolUseBlock | ToolResultBlock | ReasoningBlock | FileLinkBlock;

export interface Message {
  role: 'system' | 'user' | 'assistant' | 'tool';
  content: readonly MessageBlock[];
}

/** Who sees an entry: the model (and everyone else), the readers of the timeline, or only logs. */
export type Visibility = 'model' | 'observer' | 'log';

/** What an entry of a timeline says about its message. */
export interface EntryOptions {
  tags?: readonly string[] | undefined;
  /** Default: `model`. The model does not see other entries. */
  visibility?: Visibility | undefined;
  metadata?: Readonly<Record<string, unknown>> | undefined;
}

/** A block that is kept in the timeline as it was written. The model sees its text. */
export interface ForeignBlock {
  type: string;
  [key: string]: unknown;
}

/** A message as its author wrote it. */
interface TimelineMessage {
  role: Message['role'] | 'event';
  content: readonly (MessageBlock | ForeignBlock)[];
  id?: string | undefined;
  metadata?: Readonly<Record<string, unknown>> | undefined;
  createdAt?: string | Date | undefined;
  updatedAt?: string | Date | undefined;
}

/** One entry of a conversation. It can be stored and passed in again as part of `{timeline}`. */
export interface TimelineEntry extends EntryOptions {
  kind: 'message' | 'event';
  message: TimelineMessage;
  id?: string | undefined;
}

/** An entry as the model sees it. */
export interface ModelEntry extends EntryOptions {
  kind: 'message';
  message: Message;
}
