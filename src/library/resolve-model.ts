import type { LanguageModelV3, LanguageModelV4 } from '@ai-sdk/provider';
import type { Clock } from '../base/clock.ts';
import { HubError } from '../base/hub-error.ts';
import type { Model } from '../engine/model.ts';
import type { ProviderSettings } from '../models/language-models.ts';

export type ModelInput = string | LanguageModelV4 | LanguageModelV3 | Model;

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
  return toModel(model, { clock: options.clock });
}
