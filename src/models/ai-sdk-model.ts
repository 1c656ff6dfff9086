import type { LanguageModelV3, LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { type Clock, systemClock } from '../base/clock.ts';
import { HubError } from '../base/hub-error.ts';
import type { Model, ModelPrice, ModelRequest } from '../engine/model.ts';
import { type FailedModel, readFailure, toModelError } from './model-failure.ts';
import { toOlderPrompt } from './older-prompt.ts';
import { mediaOf } from './provider-media.ts';
import { readStream } from './read-stream.ts';
import { toPrompt } from './to-prompt.ts';
import { toTool } from './to-tool.ts';

interface ModelOptions {
  price?: ModelPrice | undefined;
  /** How people call the provider; what its package says where this is not given. */
  provider?: string | undefined;
  /** What must never stand in a message, the key for one. */
  secrets?: readonly string[] | undefined;
  clock?: Clock | undefined;
  /** From 0 to 1, for the spread of the delays. */
  random?: (() => number) | undefined;
}

const mostRetries = 3;
const firstDelayMs = 1000;
/** Who asks for a longer wait is told to the caller at once; to ask earlier would be rude and in vain. */
const longestWaitMs = 60_000;

/** A model of any AI SDK provider package. Throws INVALID_ARGUMENTS for what is none, or one of an older specification. */
export function toModel(languageModel: LanguageModelV4 | LanguageModelV3, options: ModelOptions = {}): Model {
  checkModel(languageModel);
  const { clock = systemClock, random = Math.random } = options;
  const provider = options.provider ?? languageModel.provider.split('.')[0] ?? languageModel.provider;
  const subject = `Model "${languageModel.modelId}" of ${provider}`;
  const failed: FailedModel = { subject, provider, secrets: options.secrets ?? [] };
  return {
    provider,
    modelId: languageModel.modelId,
    price: options.price,
    async *stream(request) {
      const callOptions = toCallOptions(languageModel, request);
      for (let tries = 1; ; tries += 1) {
        let hasBegun = false;
        try {
          request.signal.throwIfAborted();
          const { stream } = await untilAborted(doStream(languageModel, callOptions), request.signal);
          for await (const event of readStream(stream, request.signal)) {
            hasBegun = true;
            yield event;
          }
          return;
        } catch (error) {
          if (request.signal.aborted) throw cancelled(request.signal);
          const failure = readFailure(error, failed, clock);
          const wait = failure.waitMs ?? firstDelayMs * 2 ** (tries - 1) * (0.5 + random() / 2);
          if (hasBegun || !failure.isRetryable || tries > mostRetries || wait > longestWaitMs) {
            throw toModelError(failure, error, failed, tries);
          }
          await clock.sleep(wait, request.signal).catch((reason: unknown) => {
            throw request.signal.aborted ? cancelled(request.signal) : reason;
          });
        }
      }
    },
  };
}

function checkModel(model: unknown): void {
  const { specificationVersion, doStream } = (model ?? {}) as Partial<LanguageModelV4>;
  const version: unknown = specificationVersion;
  if (typeof doStream === 'function' && (version === 'v4' || version === 'v3')) return;
  const is = typeof version === 'string' ? `has the specification version "${version}"` : 'is no model of the AI SDK';
  throw new HubError(
    'INVALID_ARGUMENTS',
    `The model object ${is}. Models of version "v3" and "v4" are taken: update the provider package, or give a name like "openai/gpt-5".`,
  );
}

function doStream(
  model: LanguageModelV4 | LanguageModelV3,
  options: LanguageModelV4CallOptions,
): ReturnType<LanguageModelV4['doStream']> {
  if (model.specificationVersion === 'v4') return model.doStream(options);
  const { prompt, reasoning: _, ...rest } = options;
  // The older stream has fewer kinds of parts and no others.
  return model.doStream({ ...rest, prompt: toOlderPrompt(prompt) }) as ReturnType<LanguageModelV4['doStream']>;
}

/** For models that do not look at the signal. */
async function untilAborted<T>(promise: PromiseLike<T>, signal: AbortSignal): Promise<T> {
  let abort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

function toCallOptions(model: LanguageModelV4 | LanguageModelV3, request: ModelRequest): LanguageModelV4CallOptions {
  const { stopSequences, providerOptions, ...settings } = request.settings;
  const given = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
  // Stored answers could be referred to by id; ours are sent whole, so nothing needs to stay at the provider.
  const stored = /^openai\.responses$/.test(model.provider) ? { openai: { store: false } } : undefined;
  return {
    ...given,
    prompt: toPrompt(request.system, request.messages, mediaOf(model.provider)),
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

function cancelled({ reason }: AbortSignal): HubError {
  return reason instanceof HubError ? reason : new HubError('CANCELLED', 'The call of the model was cancelled.');
}
