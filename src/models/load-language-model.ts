import type { LanguageModelV4 } from '@ai-sdk/provider';
import { isOpenAi, type ProviderAccess } from './provider-access.ts';

/** Loads the package of the provider with the first model of it. */
export async function loadLanguageModel(access: ProviderAccess, modelId: string): Promise<LanguageModelV4> {
  const { name, type, baseUrl: baseURL, apiKey, settings } = access;
  const headers = settings.headers ? { headers: { ...settings.headers } } : {};
  const key = apiKey === undefined ? {} : { apiKey };
  const common = { baseURL, fetch: fetchWithoutRedirects, ...key, ...headers };
  switch (type) {
    case 'anthropic':
      return (await import('@ai-sdk/anthropic')).createAnthropic(common)(modelId);
    case 'google':
      return (await import('@ai-sdk/google')).createGoogle(common)(modelId);
    case 'openai':
      if (isOpenAi(access)) return (await import('@ai-sdk/openai')).createOpenAI(common).responses(modelId);
      break;
    case 'ollama':
    case 'openai-compatible':
  }
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
  return createOpenAICompatible({ name, ...common, includeUsage: true })(modelId);
}

/** A redirect would carry the key to an address that nobody set. */
function fetchWithoutRedirects(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  return fetch(input, { ...init, redirect: 'error' });
}
