import type { JsonObject } from '../base/json.ts';
import { type ContentBlock, ToolContent } from '../tools/content.ts';
import type { RemoteResult } from './supervise/server-connection.ts';

/** Blocks go on as they came, also of kinds that only the server and its client know. */
export function toToolContent(result: RemoteResult): ToolContent {
  const content = Array.isArray(result.content) ? result.content : [];
  return new ToolContent(content as unknown as ContentBlock[], {
    ...(result.structuredContent !== undefined && { structuredContent: result.structuredContent }),
    isError: result.isError === true,
    ...metaIn(result),
  });
}

/** What the protocol itself says there is of the connection to the server, and is no business of ours. */
const ofProtocol = 'io.modelcontextprotocol/';

function metaIn({ _meta }: RemoteResult): { _meta?: JsonObject } {
  if (typeof _meta !== 'object' || _meta === null) return {};
  const own = Object.entries(_meta).filter(([key]) => !key.startsWith(ofProtocol));
  return own.length === 0 ? {} : { _meta: Object.fromEntries(own) };
}
