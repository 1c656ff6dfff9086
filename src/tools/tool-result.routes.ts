import { HubError } from '../base/hub-error.ts';
import { ToolContent } from './content.ts';

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
