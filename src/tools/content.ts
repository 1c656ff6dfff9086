import { HubError } from '../base/hub-error.ts';
import type { JsonObject, JsonValue } from '../base/json.ts';

/** MCP's content blocks. Every surface can send them or turn them into text. */
export type ContentBlock =
  | { type: 'text'; text: string; annotations?: ContentAnnotations }
  | { type: 'image'; data: string; mimeType: string; annotations?: ContentAnnotations }
  | { type: 'audio'; data: string; mimeType: string; annotations?: ContentAnnotations }
  | { type: 'resource_link'; uri: string; name: string; title?: string; description?: string; mimeType?: string }
  | { type: 'resource'; resource: ResourceContents; annotations?: ContentAnnotations };

type ContentAnnotations = { audience?: ('user' | 'assistant')[]; priority?: number; lastModified?: string };

export type ResourceContents =
  | { uri: string; mimeType?: string; text: string }
  | { uri: string; mimeType?: string; blob: string };

/** The result of a tool that returns more than data: images, links, or an error of its own. */
export class ToolContent {
  readonly content: readonly ContentBlock[];
  /** An object; servers of the newest MCP revision may send any JSON value. */
  readonly structuredContent: JsonValue | undefined;
  readonly isError: boolean;
  /** Data for the client that no model sees. */
  readonly _meta: JsonObject | undefined;
  /** Set if the content only repeats `structuredContent`. HTTP leaves it out then. */
  readonly repeatsData: true | undefined;

  constructor(
    content: readonly ContentBlock[],
    options: { structuredContent?: JsonValue; isError?: boolean; _meta?: JsonObject; repeatsData?: true } = {},
  ) {
    this.content = content;
    this.structuredContent = options.structuredContent;
    this.isError = options.isError ?? false;
    this._meta = options._meta;
    this.repeatsData = options.repeatsData;
  }

  /** Creates the result of a tool that returns a text, number, list or null. */
  static ofValue(value: JsonValue): ToolContent {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return new ToolContent([{ type: 'text', text }], { structuredContent: value, repeatsData: true });
  }
}

/** Returns a tool's result as content blocks. Data becomes JSON text and is also kept as `structuredContent`. */
export function asContent(data: object): ToolContent {
  if (data instanceof ToolContent) return data;
  // A tool's data is JSON, so an object is a JsonObject.
  return new ToolContent([{ type: 'text', text: JSON.stringify(data) }], { structuredContent: data as JsonObject });
}

/** Returns a tool's result as JSON for HTTP. Throws TOOL_ERROR for a result that is marked as an error. */
export function toToolResult(data: object): { result: unknown; content?: ToolContent['content'] } {
  if (!(data instanceof ToolContent)) return { result: data };
  if (data.isError) {
    const text = data.content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
    throw new HubError('TOOL_ERROR', text.trim() || 'The tool reported an error.', {
      details: { content: data.content },
    });
  }
  const { content, structuredContent, repeatsData } = data;
  if (repeatsData) return { result: structuredContent };
  return { result: structuredContent === undefined ? { content } : structuredContent, content };
}
