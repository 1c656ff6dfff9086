import type {
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4TextPart,
  LanguageModelV4ToolResultOutput,
} from '@ai-sdk/provider';
import type { Message, MessageBlock, ProviderOptions, ToolResultBlock, ToolUseBlock } from '../engine/message.ts';
import { type PartSource, toPart } from './content-part.ts';
import type { ProviderMedia } from './provider-media.ts';

type AssistantPart = Extract<LanguageModelV4Message, { role: 'assistant' }>['content'][number];
type ToolPart = Extract<LanguageModelV4Message, { role: 'tool' }>['content'][number];

/** Our messages as the AI SDK's provider interface wants them. Nothing is dropped: what a provider does not take is told in words. */
export function toPrompt(system: string, messages: readonly Message[], media: ProviderMedia): LanguageModelV4Prompt {
  const prompt: LanguageModelV4Prompt = system === '' ? [] : [{ role: 'system', content: system }];
  for (const message of messages) {
    const rest = message.content.filter((block) => block.type !== 'tool_result');
    // Wherever results stand, providers want them right behind the calls, in a message of their own.
    const results = message.content.filter((block) => block.type === 'tool_result');
    if (results.length > 0) prompt.push({ role: 'tool', content: results.map((block) => toToolPart(block, media)) });
    if (rest.length > 0) prompt.push(toMessage(message.role, rest, media));
  }
  return prompt;
}

function toMessage(
  role: Message['role'],
  blocks: readonly Exclude<MessageBlock, ToolResultBlock>[],
  media: ProviderMedia,
): LanguageModelV4Message {
  switch (role) {
    case 'system':
      return { role: 'system', content: blocks.map((block) => textOf(block)).join('\n\n') };
    case 'assistant':
      return { role: 'assistant', content: blocks.map(toAssistantPart) };
    case 'user':
    case 'tool':
      return { role: 'user', content: blocks.map((block) => toUserPart(block, media)) };
  }
}

function toUserPart(
  block: Exclude<MessageBlock, ToolResultBlock>,
  media: ProviderMedia,
): LanguageModelV4TextPart | LanguageModelV4FilePart {
  if (block.type === 'tool_use' || block.type === 'reasoning') return { type: 'text', text: textOf(block) };
  return filePart(toPart(block, (mediaType) => media.inMessages(mediaType)));
}

function toAssistantPart(block: Exclude<MessageBlock, ToolResultBlock>): AssistantPart {
  switch (block.type) {
    case 'reasoning':
      return { type: 'reasoning', text: block.text, ...optionsOf(block) };
    case 'tool_use':
      return {
        type: 'tool-call',
        toolCallId: block.id,
        toolName: block.name,
        input: inputOf(block),
        ...optionsOf(block),
      };
    default:
      // Hardly any provider takes a picture as something that the model itself said.
      return { type: 'text', text: textOf(block) };
  }
}

/** Every API wants an object; a model that sent something else sees what it was. */
function inputOf({ input }: ToolUseBlock): object {
  const isObject = typeof input === 'object' && input !== null && !Array.isArray(input);
  return isObject ? input : { invalid_input: input ?? null };
}

function toToolPart(block: ToolResultBlock, media: ProviderMedia): ToolPart {
  return {
    type: 'tool-result',
    toolCallId: block.toolUseId,
    toolName: block.name,
    output: outputOf(block, media),
  };
}

function outputOf(block: ToolResultBlock, media: ProviderMedia): LanguageModelV4ToolResultOutput {
  // An error travels as text alone: that is the only form that carries the mark.
  const parts = block.content.map((each) => toPart(each, (type) => !block.isError && media.inToolResults(type)));
  const files = parts.filter((part) => part.kind === 'file');
  const texts = parts.filter((part) => part.kind === 'text').map((part) => part.text);
  if (block.content.length === 0 && block.structuredContent !== undefined)
    texts.push(JSON.stringify(block.structuredContent));
  const text = texts.join('\n\n');
  if (block.isError) {
    const isTold = media.marksErrors || /^error\b/i.test(text);
    return { type: 'error-text', value: isTold && text !== '' ? text : `Error: ${text || 'the tool failed.'}` };
  }
  if (files.length === 0) return { type: 'text', value: text === '' ? 'The tool returned nothing.' : text };
  // One text, always: some providers make a result of its own of each, and none at all of a picture alone.
  const head = text === '' ? `The tool returned ${files.length === 1 ? 'a file' : `${files.length} files`}.` : text;
  return { type: 'content', value: [{ type: 'text', text: head }, ...files.map(filePart)] };
}

function filePart(part: PartSource): LanguageModelV4TextPart | LanguageModelV4FilePart {
  if (part.kind === 'text') return { type: 'text', text: part.text };
  return { type: 'file', data: { type: 'data', data: part.data }, mediaType: part.mediaType };
}

function textOf(block: Exclude<MessageBlock, ToolResultBlock>): string {
  if (block.type === 'reasoning') return block.text;
  if (block.type === 'tool_use') return `[call of ${block.name}: ${JSON.stringify(block.input)}]`;
  const part = toPart(block, () => false);
  return part.kind === 'text' ? part.text : '';
}

function optionsOf(block: { providerOptions?: ProviderOptions | undefined }): { providerOptions?: ProviderOptions } {
  return block.providerOptions ? { providerOptions: block.providerOptions } : {};
}
