import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { ModelRequest } from '../engine/model.ts';
import { mediaOf } from './provider-media.ts';
import { toPrompt } from './to-prompt.ts';
import { toTool } from './to-tool.ts';

/** Our request as the AI SDK's provider packages take it; `provider` is the name that such a package gives its models. */
export function toCallOptions(provider: string, request: ModelRequest): LanguageModelV4CallOptions {
  const { stopSequences, providerOptions, ...settings } = request.settings;
  const given = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
  // Stored answers could be referred to by id; ours are sent whole, so nothing needs to stay at the provider.
  const stored = /^openai\.responses$/.test(provider) ? { openai: { store: false } } : undefined;
  return {
    ...given,
    prompt: toPrompt(request.system, request.messages, mediaOf(provider)),
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
