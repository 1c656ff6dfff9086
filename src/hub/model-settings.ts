import type { Agent } from '../agents/agent.ts';
import { isRecord } from '../base/is-record.ts';
import type { ProviderOptions } from '../engine/message.ts';
import type { ModelSettings } from '../engine/model.ts';

/** Reads an agent's `modelSettings`, in snake case (files) or camel case (code). Ignores unknown settings. */
export function modelSettings(settings: Agent['modelSettings']): ModelSettings {
  const number = (...names: string[]) => names.map((name) => settings[name]).find((value) => typeof value === 'number');
  const stops = settings.stopSequences ?? settings.stop_sequences ?? settings.stop;
  const options = settings.providerOptions ?? settings.provider_options;
  return {
    maxOutputTokens: number('maxOutputTokens', 'max_output_tokens', 'maxTokens', 'max_tokens'),
    temperature: number('temperature'),
    topP: number('topP', 'top_p'),
    topK: number('topK', 'top_k'),
    seed: number('seed'),
    stopSequences: Array.isArray(stops) ? stops.filter((stop) => typeof stop === 'string') : undefined,
    // Keyed by provider. The provider's package validates the contents.
    providerOptions: isRecord(options) ? (options as ProviderOptions) : undefined,
  };
}

/** As high as `[engine] max_ticks` may be. */
const maxOwnTurns = 1_000;

/** Returns the agent's own limit on the turns of one answer (TsAgent's `maxChatTurns`); undefined if it has none. */
export function maxTurns({ maxChatTurns, max_chat_turns }: Agent['modelSettings']): number | undefined {
  const turns = maxChatTurns ?? max_chat_turns;
  return typeof turns === 'number' && turns >= 1 ? Math.min(Math.trunc(turns), maxOwnTurns) : undefined;
}
