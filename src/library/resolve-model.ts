import type { LanguageModelV2, LanguageModelV3, LanguageModelV4 } from '@ai-sdk/provider';
import type { Clock } from '../base/clock.ts';
import { HubError } from '../base/hub-error.ts';
import { asModel, type Model } from '../engine/model.ts';
import type { ProviderSettings } from '../models/language-models.ts';

/** A model from any provider package of the AI SDK 5 or later. Declared by shape, so that users of the library do not need the SDK's types. */
interface AiSdkModel {
  readonly specificationVersion: 'v2' | 'v3' | 'v4';
  readonly provider: string;
  readonly modelId: string;
  doStream(options: never): PromiseLike<unknown>;
}

/** `provider/model`, or a model object. */
export type ModelInput = string | AiSdkModel | Model;

interface ResolveOptions {
  providers: Readonly<Record<string, ProviderSettings>>;
  clock: Clock | undefined;
}

/** Throws INVALID_ARGUMENTS, and NOT_CONFIGURED if the provider has no key. */
export async function resolveModel(model: unknown, options: ResolveOptions): Promise<Model> {
  if (typeof model === 'string') {
    const { createLanguageModels } = await import('../models/create-language-models.ts');
    return createLanguageModels({ ...options, lookUp: (name) => process.env[name] }).resolve(model);
  }
  if (typeof model !== 'object' || model === null) throw needsModel();
  if ('fromEngineState' in model) {
    throw new HubError(
      'INVALID_ARGUMENTS',
      'This model belongs to an adapter of AIDK. Pass the model of the AI SDK that it wraps, or a name like "openai/gpt-5".',
    );
  }
  if ('stream' in model) return asModel(model);
  const { toModel } = await import('../models/ai-sdk-model.ts');
  // The object claims to be an AI SDK model; `toModel` checks it.
  return toModel(model as LanguageModelV4 | LanguageModelV3 | LanguageModelV2, { clock: options.clock });
}

function needsModel(): HubError {
  return new HubError(
    'INVALID_ARGUMENTS',
    'No model configured. Pass a name like "openai/gpt-5" or a model of the AI SDK to the engine, or let a component call com.setModel().',
  );
}

/** Stands for the model of an engine without one, until a component sets it. */
export const missingModel: Model = {
  provider: 'none',
  modelId: 'none',
  price: { input: 0, output: 0 },
  // biome-ignore lint/correctness/useYield: there is nothing to yield.
  async *stream() {
    throw needsModel();
  },
};
