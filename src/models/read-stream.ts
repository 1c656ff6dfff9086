import type { LanguageModelV4StreamPart, LanguageModelV4Usage } from '@ai-sdk/provider';
import type { ProviderOptions } from '../engine/message.ts';
import type { ModelEvent, Usage } from '../engine/model.ts';
import { toInput } from './tool-input.ts';

/**
 * The parts of a stream as our events. Calls of tools, and what follows them, wait for the end: a stream that breaks
 * off has given no call. Throws what the stream says failed; returns early only with the signal.
 */
export async function* readStream(
  stream: ReadableStream<LanguageModelV4StreamPart>,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  const reader = stream.getReader();
  const cancel = () => void reader.cancel(signal.reason).catch(() => {});
  signal.addEventListener('abort', cancel, { once: true });
  const held: ModelEvent[] = [];
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
        // Some providers report a cut stream this way, with the calls of it as far as they came.
        const reason = part.finishReason.unified;
        if (reason === 'interrupted') throw new Error('The stream ended without a finish.');
        yield* held;
        yield { type: 'finish', reason, usage: toUsage(part.usage) };
        return;
      }
      const event = toEvent(part);
      if (!event) continue;
      if (event.type === 'tool-call' || held.length > 0) held.push(event);
      else yield event;
    }
  } finally {
    signal.removeEventListener('abort', cancel);
    // Whoever stops reading ends the request.
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
      // What the provider runs itself is no call for us.
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
  // It came as JSON, and goes back as it is.
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
