import type { LanguageModelV3, LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { HubError } from '../base/hub-error.ts';
import { untilAborted } from '../base/until-aborted.ts';
import type { Model, ModelEvent, ModelRequest } from '../engine/model.ts';
import { toCallOptions } from './call-options.ts';
import { toOlderPrompt } from './older-prompt.ts';
import { readStream } from './read-stream.ts';
import { type ModelOptions, retryingModel } from './retrying-model.ts';

/** A model of any AI SDK provider package. Throws INVALID_ARGUMENTS for what is none, or one of an older specification. */
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
  // A model may ignore the signal.
  const { stream } = await untilAborted(request.signal, () => doStream(languageModel, callOptions));
  yield* readStream(stream, request.signal);
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
