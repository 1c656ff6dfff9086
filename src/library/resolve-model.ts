import type { LanguageModelV3, LanguageModelV4 } from '@ai-sdk/provider';
import type { Clock } from '../base/clock.ts';
import { HubError } from '../base/hub-error.ts';
import type { Model } from '../engine/model.ts';
import type { ProviderSettings } from '../models/language-models.ts';

/** A model of the AI SDK, from any of its provider packages. Told by its form: whoever uses the library need not have the SDK's types. */
interface AiSdkModel {
  readonly specificationVersion: 'v3' | 'v4';
  readonly provider: string;
  readonly modelId: string;
  doStream(options: never): PromiseLike<unknown>;
}

/** `provider/model`, or a model itself. */
export type ModelInput = string | AiSdkModel | Model;

/** Throws INVALID_ARGUMENTS, and NOT_CONFIGURED where a provider has no key. */
export async function resolveModel(
  model: ModelInput,
  options: { providers: Readonly<Record<string, ProviderSettings>>; clock: Clock | undefined },
): Promise<Model> {
  if (typeof model === 'string') {
    const { createLanguageModels } = await import('../models/create-language-models.ts');
    return createLanguageModels({ ...options, lookUp: (name) => process.env[name] }).resolve(model);
  }
  const given: unknown = model;
  if (typeof given !== 'object' || given === null) {
    throw new HubError(
      'INVALID_ARGUMENTS',
      'The engine needs a model: a name like "openai/gpt-5", or a model of the AI SDK.',
    );
  }
  if ('stream' in model) return model;
  const { toModel } = await import('../models/ai-sdk-model.ts');
  // What says of itself that it is one; its methods are called as the SDK calls them.
  return toModel(model as LanguageModelV4 | LanguageModelV3, { clock: options.clock });
}
