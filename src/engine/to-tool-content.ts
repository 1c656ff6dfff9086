import { HubError } from '../base/hub-error.ts';
import { type ContentBlock, ToolContent } from '../tools/content.ts';

const blockTypes: readonly unknown[] = [
  'text',
  'image',
  'audio',
  'resource_link',
  'resource',
] satisfies ContentBlock['type'][];

/** What a tool returned as content: blocks as they are, text as text, data as JSON. Throws TOOL_ERROR. */
export function toToolContent(tool: string, returned: unknown): ToolContent {
  if (returned instanceof ToolContent) return returned;
  if (returned === undefined || returned === null) return new ToolContent([]);
  if (typeof returned === 'string') return new ToolContent([{ type: 'text', text: returned }]);
  if (isBlocks(returned)) return new ToolContent(returned);
  if (isResult(returned)) {
    const { content, structuredContent, isError } = returned;
    return new ToolContent(content, {
      isError: isError === true,
      ...(structuredContent !== undefined && { structuredContent }),
    });
  }
  try {
    return new ToolContent([{ type: 'text', text: JSON.stringify(returned) }]);
  } catch (cause) {
    throw new HubError('TOOL_ERROR', `Tool "${tool}" returned data that cannot be written as JSON.`, { cause });
  }
}

function isBlocks(value: unknown): value is ContentBlock[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((block) => typeof block === 'object' && block !== null && blockTypes.includes(block.type))
  );
}

/** The shape of a ToolContent, from code that has not the class at hand. */
function isResult(value: unknown): value is Partial<ToolContent> & Pick<ToolContent, 'content'> {
  return typeof value === 'object' && value !== null && 'content' in value && isBlocks(value.content);
}
