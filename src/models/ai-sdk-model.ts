import type { LanguageModelV2Usage, LanguageModelV4, LanguageModelV4Usage } from '@ai-sdk/provider';
import { untilAborted } from '../base/abort.ts';
import { HubError } from '../base/hub-error.ts';
import type { ProviderOptions } from '../engine/message.ts';
import type { FinishReason, Model, ModelEvent, ModelRequest, Usage } from '../engine/model.ts';
import { type TakesLink, toCallOptions } from './call-options.ts';
import { type AnyLanguageModel, type AnyStreamPart, doStream } from './older-models.ts';
import { type ModelOptions, retryingModel } from './retrying-model.ts';
import { toInput } from './tool-input.ts';

/** Wraps a model of any provider package of the AI SDK 5 or later. Throws INVALID_ARGUMENTS for other objects and for older specifications. */
export function toModel(languageModel: AnyLanguageModel, options: ModelOptions = {}): Model {
  checkModel(languageModel);
  const { modelId } = languageModel;
  const provider = options.provider ?? languageModel.provider.split('.')[0] ?? languageModel.provider;
  return retryingModel({ provider, modelId, ask: (request) => ask(languageModel, request) }, options);
}

async function* ask(languageModel: AnyLanguageModel, request: ModelRequest): AsyncGenerator<ModelEvent> {
  const callOptions = toCallOptions(languageModel.provider, request, await takenLinks(languageModel, request));
  // A model may ignore the abort signal.
  const { stream } = await untilAborted(request.signal, () => doStream(languageModel, callOptions));
  yield* readStream(stream, request.signal);
}

function checkModel(model: unknown): void {
  const { specificationVersion, doStream } = (model ?? {}) as Partial<LanguageModelV4>;
  const version: unknown = specificationVersion;
  if (typeof doStream === 'function' && (version === 'v4' || version === 'v3' || version === 'v2')) return;
  const is =
    typeof version === 'string' ? `has the specification version "${version}"` : 'is not a model of the AI SDK';
  throw new HubError(
    'INVALID_ARGUMENTS',
    `The model object ${is}. Versions "v2" to "v4" (AI SDK 5 and later) are supported: update the provider package, or pass a name like "openai/gpt-5".`,
  );
}

/** The provider's package knows which addresses the provider fetches itself. */
async function takenLinks({ supportedUrls }: AnyLanguageModel, { messages }: ModelRequest): Promise<TakesLink> {
  if (!messages.some(({ content }) => content.some(({ type }) => type === 'file_link'))) return () => false;
  const patterns = Object.entries((await supportedUrls) ?? {});
  return (mediaType, url) =>
    patterns.some(
      ([type, urls]) =>
        (type === '*/*' || type === '*' || type === mediaType || type === mediaType.replace(/\/.*/, '/*')) &&
        urls.some((pattern) => pattern.test(url)),
    );
}

/**
 * Converts the parts of a stream to our events. Tool calls, and everything after them, are held back until the stream ends: a stream
 * that breaks off has made no calls. Throws the errors that the stream reports; returns early only if the signal aborts.
 */
async function* readStream(stream: ReadableStream<AnyStreamPart>, signal: AbortSignal): AsyncGenerator<ModelEvent> {
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
        const reason = typeof part.finishReason === 'string' ? toReason(part.finishReason) : part.finishReason.unified;
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

function toReason(reason: string): FinishReason {
  // The other reasons of v2 have the same names.
  return reason === 'unknown' ? 'other' : (reason as FinishReason);
}

function toEvent(part: AnyStreamPart): ModelEvent | undefined {
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

function toUsage(usage: LanguageModelV4Usage | LanguageModelV2Usage): Usage {
  const { inputTokens: input, outputTokens: output } = usage;
  if (typeof input === 'object' && typeof output === 'object') {
    return {
      inputTokens: input.total ?? 0,
      outputTokens: output.total ?? 0,
      cachedInputTokens: input.cacheRead ?? 0,
      reasoningTokens: output.reasoning ?? 0,
    };
  }
  const { cachedInputTokens = 0, reasoningTokens = 0 } = usage as LanguageModelV2Usage; // Its counts are plain numbers.
  return {
    inputTokens: Number(input ?? 0),
    outputTokens: Number(output ?? 0),
    cachedInputTokens,
    reasoningTokens,
  };
}
