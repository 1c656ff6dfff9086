import type { Model } from '../engine/model.ts';
import { toModel } from './ai-sdk-model.ts';
import { askChatCompletions } from './chat-completions.ts';
import type { ProviderAccess } from './language-models.ts';
import { isOpenAi } from './provider-access.ts';
import { type ModelOptions, retryingModel } from './retrying-model.ts';

/** Creates a model. Loads the provider's package with its first model. */
export async function loadLanguageModel(
  access: ProviderAccess,
  modelId: string,
  given: ModelOptions & { provider: string },
): Promise<Model> {
  const { name, type, baseUrl: baseURL, apiKey, settings } = access;
  const options = { ...given, baseUrl: baseURL };
  const headers = settings.headers ? { headers: { ...settings.headers } } : {};
  const key = apiKey === undefined ? {} : { apiKey };
  const common = { baseURL, fetch: fetchWithoutRedirects, ...key, ...headers };
  switch (type) {
    case 'anthropic':
      return toModel((await import('@ai-sdk/anthropic')).createAnthropic(common)(modelId), options);
    case 'google':
      return toModel((await import('@ai-sdk/google')).createGoogle(common)(modelId), options);
    case 'openai':
      if (!isOpenAi(access)) break;
      return toModel((await import('@ai-sdk/openai')).createOpenAI(common).responses(modelId), options);
    case 'ollama':
    case 'openai-compatible':
  }
  const { OpenAICompatibleChatLanguageModel } = await import('@ai-sdk/openai-compatible');
  const config = {
    provider: `${name}.chat`,
    url: ({ path }: { path: string }) => `${baseURL}${path}`,
    headers: () => ({}),
  };
  const model = new OpenAICompatibleChatLanguageModel(modelId, config);
  const { provider } = options;
  return retryingModel({ provider, modelId, ask: (request) => askChatCompletions(model, access, request) }, options);
}

/** A redirect would send the key to an address that nobody configured. */
function fetchWithoutRedirects(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  return fetch(input, { ...init, redirect: 'error' });
}
