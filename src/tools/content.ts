import { HubError } from '../base/hub-error.ts';
import type { JsonObject, JsonValue } from '../base/json.ts';

/** The content blocks of MCP, which every surface can carry or turn into text. */
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

/** Returned by a tool that answers with more than data: images, links, or an error of its own. */
export class ToolContent {
  readonly content: readonly ContentBlock[];
  /** An object, but where a server of the newest revision says otherwise: then any JSON value. */
  readonly structuredContent: JsonValue | undefined;
  readonly isError: boolean;
  /** What the tool tells the client beside the result; no model sees it. */
  readonly _meta: JsonObject | undefined;

  constructor(
    content: readonly ContentBlock[],
    options: { structuredContent?: JsonValue; isError?: boolean; _meta?: JsonObject } = {},
  ) {
    this.content = content;
    this.structuredContent = options.structuredContent;
    this.isError = options.isError ?? false;
    this._meta = options._meta;
  }
}

/** What a tool returned as content blocks; data becomes JSON text, and stays beside it as it is. */
export function asContent(data: object): ToolContent {
  if (data instanceof ToolContent) return data;
  // Data of a tool is JSON, which an object makes a JsonObject.
  return new ToolContent([{ type: 'text', text: JSON.stringify(data) }], { structuredContent: data as JsonObject });
}

/** What a tool returned, as JSON for HTTP. Throws TOOL_ERROR for a result that calls itself an error. */
export function toToolResult(data: object): { result: unknown; content?: ToolContent['content'] } {
  if (!(data instanceof ToolContent)) return { result: data };
  if (data.isError) {
    const text = data.content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
    throw new HubError('TOOL_ERROR', text.trim() || 'The tool reported an error.', {
      details: { content: data.content },
    });
  }
  const { content, structuredContent } = data;
  return { result: structuredContent === undefined ? { content } : structuredContent, content };
}
