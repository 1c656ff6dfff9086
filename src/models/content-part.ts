import type { MessageBlock, ReasoningBlock, ToolResultBlock, ToolUseBlock } from '../engine/message.ts';

type ContentBlock = Exclude<MessageBlock, ToolUseBlock | ToolResultBlock | ReasoningBlock>;
type ResourceContents = Extract<ContentBlock, { type: 'resource' }>['resource'];

export type PartSource = { kind: 'text'; text: string } | { kind: 'file'; data: string; mediaType: string };

/** A content block as text or as a file in base64. What `takes` refuses becomes a sentence that names it. */
export function toPart(block: ContentBlock, takes: (mediaType: string) => boolean): PartSource {
  switch (block.type) {
    case 'text':
      return { kind: 'text', text: block.text };
    case 'image':
    case 'audio':
      return toFile(block.type, block.data, block.mimeType, takes);
    case 'resource_link': {
      const about = [block.mimeType, block.description].filter((each) => each !== undefined && each !== '');
      const title = block.title ?? block.name;
      return { kind: 'text', text: `[resource ${title}: ${block.uri}${about.map((each) => `, ${each}`).join('')}]` };
    }
    case 'resource':
      return toResource(block.resource, takes);
  }
}

function toResource(resource: ResourceContents, takes: (mediaType: string) => boolean): PartSource {
  if ('text' in resource) return { kind: 'text', text: `[resource ${resource.uri}]\n${resource.text}` };
  const mediaType = resource.mimeType ?? 'application/octet-stream';
  if (textual.test(mediaType)) {
    return { kind: 'text', text: `[resource ${resource.uri}]\n${Buffer.from(resource.blob, 'base64').toString()}` };
  }
  return toFile(`resource ${resource.uri}`, resource.blob, mediaType, takes);
}

const textual = /^text\/|^application\/(json|xml|yaml|toml|javascript|x-ndjson)\b|\+(json|xml)$/i;

function toFile(name: string, data: string, mediaType: string, takes: (mediaType: string) => boolean): PartSource {
  if (takes(mediaType)) return { kind: 'file', data, mediaType };
  return { kind: 'text', text: `[${name}: ${mediaType}, ${Buffer.byteLength(data, 'base64')} bytes, not shown here]` };
}
