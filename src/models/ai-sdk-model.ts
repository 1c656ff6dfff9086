import type {
  LanguageModelV3,
  LanguageModelV3Prompt,
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from '@ai-sdk/provider';
import { untilAborted } from '../base/abort.ts';
import { HubError } from '../base/hub-error.ts';
import type { ProviderOptions } from '../engine/message.ts';
import type { Model, ModelEvent, ModelRequest, Usage } from '../engine/model.ts';
import { toCallOptions } from './call-options.ts';
import { type ModelOptions, retryingModel } from './retrying-model.ts';
import { toInput } from './tool-input.ts';

/** Wraps a model of any AI SDK provider package. Throws INVALID_ARGUMENTS for other objects and for older specifications. */
export function toModel(languageModel: LanguageModelV4 | LanguageModelV3, options: ModelOptions = {}): Model {
  checkModel(languageModel);
  const { modelId } = languageModel;
  const provider = options.provider ?? languageModel.provider.split('.')[0] ?? languageModel.provider;
  return retryingModel({ provider, modelId, ask: (request) => ask(languageModel, request) }, options);
}

async function* ask(
  languageModel: LanguageModelV4 | LanguageModelV3,
  request: ModelRequest,
): AsyncGenerator<ModelEvent> {
  const callOptions = toCallOptions(languageModel.provider, request);
  // A model may ignore the abort signal.
  const { stream } = await untilAborted(request.signal, () => doStream(languageModel, callOptions));
  yield* readStream(stream, request.signal);
}

function checkModel(model: unknown): void {
  const { specificationVersion, doStream } = (model ?? {}) as Partial<LanguageModelV4>;
  const version: unknown = specificationVersion;
  if (typeof doStream === 'function' && (version === 'v4' || version === 'v3')) return;
  const is =
    typeof version === 'string' ? `has the specification version "${version}"` : 'is not a model of the AI SDK';
  throw new HubError(
    'INVALID_ARGUMENTS',
    `The model object ${is}. Versions "v3" and "v4" are supported: update the provider package, or pass a name like "openai/gpt-5".`,
  );
}

function doStream(
  model: LanguageModelV4 | LanguageModelV3,
  options: LanguageModelV4CallOptions,
): ReturnType<LanguageModelV4['doStream']> {
  if (model.specificationVersion === 'v4') return model.doStream(options);
  const { prompt, reasoning: _, ...rest } = options;
  // The older stream has a subset of the kinds of parts.
  return model.doStream({ ...rest, prompt: toOlderPrompt(prompt) }) as ReturnType<LanguageModelV4['doStream']>;
}

/** Converts a prompt for v3 models: there, files are plain base64 and have other names in tool results. */
function toOlderPrompt(prompt: LanguageModelV4Prompt): LanguageModelV3Prompt {
  const messages = prompt.map((message) => {
    if (message.role === 'system') return message;
    return {
      ...message,
      content: message.content.map((part) => {
        if (part.type === 'file' && part.data.type === 'data') return { ...part, data: part.data.data };
        if (part.type !== 'tool-result' || part.output.type !== 'content') return part;
        return { ...part, output: { type: 'content', value: part.output.value.map(toOlderResult) } };
      }),
    };
  });
  // The rest of the two shapes is the same, and `toPrompt` creates no other parts.
  return messages as LanguageModelV3Prompt;
}

function toOlderResult(part: { type: string; data?: { type: string; data?: unknown }; mediaType?: string }): object {
  if (part.type !== 'file') return part;
  const type = part.mediaType?.startsWith('image/') ? 'image-data' : 'file-data';
  return { type, data: part.data?.data, mediaType: part.mediaType };
}

/**
 * Converts the parts of a stream to our events. Tool calls, and everything after them, are held back until the stream ends: a stream
 * that breaks off has made no calls. Throws the errors that the stream reports; returns early only if the signal aborts.
 */
async function* readStream(
  stream: ReadableStream<LanguageModelV4StreamPart>,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  const reader = stream.getReader();
  const cancel = () => void reader.cancel(signal.reason).catch(() => {});
  signal.addEventListener('abort', cancel, { once: true });
  const heldBack: ModelEvent[] = [];
  let isDone = false;
  try {
    for (;;) {
      const { value: part, done } = await reader.read();
      signal.throwIfAborted();
      if (done) {
        isDone = true;
        throw new Error('The stream ended without a finish.');
      }
      if (part.type === 'error') throw part.error;
      if (part.type === 'finish') {
        // Some providers report a broken stream this way, with incomplete calls.
        const reason = part.finishReason.unified;
        if (reason === 'interrupted') throw new Error('The stream ended without a finish.');
        yield* heldBack;
        yield { type: 'finish', reason, usage: toUsage(part.usage) };
        return;
      }
      const event = toEvent(part);
      if (!event) continue;
      if (event.type === 'tool-call' || heldBack.length > 0) heldBack.push(event);
      else yield event;
    }
  } finally {
    signal.removeEventListener('abort', cancel);
    // If the reader stops early, the request is cancelled.
    if (!isDone) cancel();
  }
}

function toEvent(part: LanguageModelV4StreamPart): ModelEvent | undefined {
  switch (part.type) {
    case 'text-delta':
      return part.delta === '' ? undefined : { type: 'text', delta: part.delta };
    case 'reasoning-start':
    case 'reasoning-end':
      return part.providerMetadata && { type: 'reasoning', id: part.id, delta: '', ...optionsOf(part) };
    case 'reasoning-delta':
      if (part.delta === '' && !part.providerMetadata) return undefined;
      return { type: 'reasoning', id: part.id, delta: part.delta, ...optionsOf(part) };
    case 'tool-call':
      // The provider runs this call itself.
      if (part.providerExecuted) return undefined;
      return {
        type: 'tool-call',
        id: part.toolCallId,
        name: part.toolName,
        ...toInput(part.input),
        ...optionsOf(part),
      };
    default:
      return undefined;
  }
}

function optionsOf({ providerMetadata }: { providerMetadata?: unknown }): { providerOptions?: ProviderOptions } {
  // It came as JSON and is sent back unchanged.
  return providerMetadata ? { providerOptions: providerMetadata as ProviderOptions } : {};
}

function toUsage({ inputTokens, outputTokens }: LanguageModelV4Usage): Usage {
  return {
    inputTokens: inputTokens.total ?? 0,
    outputTokens: outputTokens.total ?? 0,
    cachedInputTokens: inputTokens.cacheRead ?? 0,
    reasoningTokens: outputTokens.reasoning ?? 0,
  };
}
