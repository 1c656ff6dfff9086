import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FilePart,
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4TextPart,
  LanguageModelV4ToolResultOutput,
} from '@ai-sdk/provider';
import { isRecord } from '../base/is-record.ts';
import type {
  FileLinkBlock,
  Message,
  MessageBlock,
  ProviderOptions,
  ReasoningBlock,
  ToolResultBlock,
  ToolUseBlock,
} from '../engine/message.ts';
import type { ModelRequest, ToolDefinition } from '../engine/model.ts';

/** Tells whether a provider fetches a file of this type from this address. */
export type TakesLink = (mediaType: string, url: string) => boolean;

/** Converts a request for the AI SDK's provider packages; `provider` is the package's name for its models. By default, it fetches no files. */
export function toCallOptions(
  provider: string,
  request: ModelRequest,
  takesLink: TakesLink = () => false,
): LanguageModelV4CallOptions {
  const { stopSequences, providerOptions, ...settings } = request.settings;
  const defined = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
  // Always sends the whole conversation, so the provider need not store answers.
  const stored = /^openai\.responses$/.test(provider) ? { openai: { store: false } } : undefined;
  return {
    ...defined,
    prompt: toPrompt(request.system, request.messages, { ...mediaOf(provider), takesLink }),
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

/** Passes on the schema unchanged. `strict` (or OpenAI's `{function: {strict}}`) is the only option that providers share. */
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

/** Converts messages for the AI SDK's provider interface. Nothing is dropped: content that a provider does not accept is described in text. */
function toPrompt(system: string, messages: readonly Message[], media: ProviderMedia): LanguageModelV4Prompt {
  const prompt: LanguageModelV4Prompt = system === '' ? [] : [{ role: 'system', content: system }];
  for (const message of messages) {
    const rest = message.content.filter((block) => block.type !== 'tool_result');
    // Providers expect results right after the calls, in a separate message.
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
  if (block.type === 'file_link') {
    const { url, mimeType } = block;
    if (!media.takesLink(mimeType, url)) return { type: 'text', text: textOf(block) };
    return { type: 'file', data: { type: 'url', url: new URL(url) }, mediaType: mimeType };
  }
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
      // Hardly any provider accepts an image in the model's own messages.
      return { type: 'text', text: textOf(block) };
  }
}

/** Every API requires an object. Other input is wrapped, so that the model sees what it sent. */
function inputOf({ input }: ToolUseBlock): object {
  return isRecord(input) ? input : { invalid_input: input ?? null };
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
  // An error is sent as text: only text can be marked as an error.
  const parts = block.content.map((each) => toPart(each, (type) => !block.isError && media.inToolResults(type)));
  const files = parts.filter((part) => part.kind === 'file');
  const texts = parts.filter((part) => part.kind === 'text').map((part) => part.text);
  if (block.content.length === 0 && block.structuredContent !== undefined)
    texts.push(JSON.stringify(block.structuredContent));
  const text = texts.join('\n\n');
  if (block.isError) {
    const isRecognizable = media.marksErrors || /^error\b/i.test(text);
    return { type: 'error-text', value: isRecognizable && text !== '' ? text : `Error: ${text || 'the tool failed.'}` };
  }
  if (files.length === 0) return { type: 'text', value: text === '' ? 'The tool returned nothing.' : text };
  // Always exactly one text: some providers turn each text into a separate result, and drop an image without text.
  const head = text === '' ? `The tool returned ${files.length === 1 ? 'a file' : `${files.length} files`}.` : text;
  return { type: 'content', value: [{ type: 'text', text: head }, ...files.map(filePart)] };
}

function filePart(part: PartSource): LanguageModelV4TextPart | LanguageModelV4FilePart {
  if (part.kind === 'text') return { type: 'text', text: part.text };
  return { type: 'file', data: { type: 'data', data: part.data }, mediaType: part.mediaType };
}

function textOf(block: Exclude<MessageBlock, ToolResultBlock>): string {
  if (block.type === 'reasoning') return block.text;
  if (block.type === 'tool_use') return `[call to ${block.name}: ${JSON.stringify(block.input)}]`;
  if (block.type === 'file_link') return `[${block.mimeType}: ${block.url}, not shown here]`;
  const part = toPart(block, () => false);
  return part.kind === 'text' ? part.text : '';
}

function optionsOf(block: { providerOptions?: ProviderOptions | undefined }): { providerOptions?: ProviderOptions } {
  return block.providerOptions ? { providerOptions: block.providerOptions } : {};
}

type ContentBlock = Exclude<MessageBlock, ToolUseBlock | ToolResultBlock | ReasoningBlock | FileLinkBlock>;
type ResourceContents = Extract<ContentBlock, { type: 'resource' }>['resource'];

type PartSource = { kind: 'text'; text: string } | { kind: 'file'; data: string; mediaType: string };

/** Converts a content block to text or a base64 file. A file that `accepts` rejects becomes a description. */
function toPart(block: ContentBlock, accepts: (mediaType: string) => boolean): PartSource {
  switch (block.type) {
    case 'text':
      return { kind: 'text', text: block.text };
    case 'image':
    case 'audio':
      return toFile(block.type, block.data, block.mimeType, accepts);
    case 'resource_link': {
      const about = [block.mimeType, block.description].filter((each) => each !== undefined && each !== '');
      const title = block.title ?? block.name;
      return { kind: 'text', text: `[resource ${title}: ${block.uri}${about.map((each) => `, ${each}`).join('')}]` };
    }
    case 'resource':
      return toResource(block.resource, accepts);
  }
}

function toResource(resource: ResourceContents, accepts: (mediaType: string) => boolean): PartSource {
  if ('text' in resource) return { kind: 'text', text: `[resource ${resource.uri}]\n${resource.text}` };
  const mediaType = resource.mimeType ?? 'application/octet-stream';
  if (textual.test(mediaType)) {
    return { kind: 'text', text: `[resource ${resource.uri}]\n${Buffer.from(resource.blob, 'base64').toString()}` };
  }
  return toFile(`resource ${resource.uri}`, resource.blob, mediaType, accepts);
}

const textual = /^text\/|^application\/(json|xml|yaml|toml|javascript|x-ndjson)\b|\+(json|xml)$/i;

function toFile(name: string, data: string, mediaType: string, accepts: (mediaType: string) => boolean): PartSource {
  if (accepts(mediaType)) return { kind: 'file', data, mediaType };
  return { kind: 'text', text: `[${name}: ${mediaType}, ${Buffer.byteLength(data, 'base64')} bytes, not shown here]` };
}

/** What a provider accepts besides text. */
interface ProviderMedia {
  inMessages(mediaType: string): boolean;
  inToolResults(mediaType: string): boolean;
  takesLink: TakesLink;
  /** Whether its API can mark a tool result as an error. */
  marksErrors: boolean;
}

const pictures = /^image\/(png|jpe?g|gif|webp)$/;
const picturesAndPdf = /^(image\/(png|jpe?g|gif|webp)|application\/pdf)$/;
const chat = /^(image\/(png|jpe?g|gif|webp)|audio\/(wav|mp3|mpeg)|application\/pdf)$/;
const gemini = /^(image\/(png|jpe?g|gif|webp|heic|heif)|audio\/|video\/|application\/pdf$)/;
const nothing = /^\b$/;

/**
 * Returns the media types by the package's name for its models (`anthropic.messages`, `openai.responses`). Other content is described to
 * the model in text, because the provider would reject the whole request.
 */
function mediaOf(provider: string): Omit<ProviderMedia, 'takesLink'> {
  if (/anthropic/.test(provider)) return media(picturesAndPdf, picturesAndPdf, true);
  if (/google|vertex/.test(provider)) return media(gemini, gemini, true);
  if (/\.responses$/.test(provider)) return media(picturesAndPdf, pictures, true);
  if (/^openai\.chat$/.test(provider)) return media(chat, nothing, true);
  return media(chat, nothing, false);
}

function media(messages: RegExp, toolResults: RegExp, marksErrors: boolean): Omit<ProviderMedia, 'takesLink'> {
  return {
    inMessages: (mediaType) => messages.test(mediaType.toLowerCase()),
    inToolResults: (mediaType) => toolResults.test(mediaType.toLowerCase()),
    marksErrors,
  };
}
