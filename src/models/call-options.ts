import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FilePart,
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4TextPart,
  LanguageModelV4ToolResultOutput,
} from '@ai-sdk/provider';
import type {
  Message,
  MessageBlock,
  ProviderOptions,
  ReasoningBlock,
  ToolResultBlock,
  ToolUseBlock,
} from '../engine/message.ts';
import type { ModelRequest, ToolDefinition } from '../engine/model.ts';

/** Our request as the AI SDK's provider packages take it; `provider` is the name that such a package gives its models. */
export function toCallOptions(provider: string, request: ModelRequest): LanguageModelV4CallOptions {
  const { stopSequences, providerOptions, ...settings } = request.settings;
  const given = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
  // Stored answers could be referred to by id; ours are sent whole, so nothing needs to stay at the provider.
  const stored = /^openai\.responses$/.test(provider) ? { openai: { store: false } } : undefined;
  return {
    ...given,
    prompt: toPrompt(request.system, request.messages, mediaOf(provider)),
    ...(request.tools.length > 0 ? { tools: request.tools.map(toTool), toolChoice: { type: 'auto' } } : {}),
    ...(stopSequences === undefined ? {} : { stopSequences: [...stopSequences] }),
    ...(stored || providerOptions
      ? {
          providerOptions: {
            ...providerOptions,
            ...(stored && { openai: { ...stored.openai, ...providerOptions?.openai } }),
          },
        }
      : {}),
    ...(request.headers ? { headers: { ...request.headers } } : {}),
    abortSignal: request.signal,
  };
}

/** The schema goes on as it is. `strict`, also as `{function: {strict}}` of OpenAI's own form, is the one option that tools share. */
function toTool({ name, description, inputSchema, providerOptions }: ToolDefinition): LanguageModelV4FunctionTool {
  const strict = strictOf(providerOptions?.openai) ?? strictOf(providerOptions?.anthropic);
  return {
    type: 'function',
    name,
    description,
    inputSchema,
    ...(strict === undefined ? {} : { strict }),
    ...(providerOptions ? { providerOptions } : {}),
  };
}

function strictOf(options: { strict?: unknown; function?: unknown } | undefined): boolean | undefined {
  const nested = options?.function;
  const value =
    options?.strict ?? (typeof nested === 'object' && nested !== null && 'strict' in nested && nested.strict);
  return typeof value === 'boolean' ? value : undefined;
}

type AssistantPart = Extract<LanguageModelV4Message, { role: 'assistant' }>['content'][number];
type ToolPart = Extract<LanguageModelV4Message, { role: 'tool' }>['content'][number];

/** Our messages as the AI SDK's provider interface wants them. Nothing is dropped: what a provider does not take is told in words. */
function toPrompt(system: string, messages: readonly Message[], media: ProviderMedia): LanguageModelV4Prompt {
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

type ContentBlock = Exclude<MessageBlock, ToolUseBlock | ToolResultBlock | ReasoningBlock>;
type ResourceContents = Extract<ContentBlock, { type: 'resource' }>['resource'];

type PartSource = { kind: 'text'; text: string } | { kind: 'file'; data: string; mediaType: string };

/** A content block as text or as a file in base64. What `takes` refuses becomes a sentence that names it. */
function toPart(block: ContentBlock, takes: (mediaType: string) => boolean): PartSource {
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

/** What a provider takes besides text. */
interface ProviderMedia {
  inMessages(mediaType: string): boolean;
  inToolResults(mediaType: string): boolean;
  /** Whether its API has a mark for a tool result that is an error. */
  marksErrors: boolean;
}

const pictures = /^image\/(png|jpe?g|gif|webp)$/;
const picturesAndPdf = /^(image\/(png|jpe?g|gif|webp)|application\/pdf)$/;
const chat = /^(image\/(png|jpe?g|gif|webp)|audio\/(wav|mp3|mpeg)|application\/pdf)$/;
const gemini = /^(image\/(png|jpe?g|gif|webp|heic|heif)|audio\/|video\/|application\/pdf$)/;
const nothing = /^\b$/;

/**
 * By the name that a provider package gives its models (`anthropic.messages`, `openai.responses`). What is not taken
 * is told to the model in words, because a request with it would be refused as a whole.
 */
function mediaOf(provider: string): ProviderMedia {
  if (/anthropic/.test(provider)) return media(picturesAndPdf, picturesAndPdf, true);
  if (/google|vertex/.test(provider)) return media(gemini, gemini, true);
  if (/\.responses$/.test(provider)) return media(picturesAndPdf, pictures, true);
  if (/^openai\.chat$/.test(provider)) return media(chat, nothing, true);
  return media(chat, nothing, false);
}

function media(messages: RegExp, toolResults: RegExp, marksErrors: boolean): ProviderMedia {
  return {
    inMessages: (mediaType) => messages.test(mediaType.toLowerCase()),
    inToolResults: (mediaType) => toolResults.test(mediaType.toLowerCase()),
    marksErrors,
  };
}
