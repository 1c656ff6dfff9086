import { z } from 'zod';
import type { Clock } from '../base/clock.ts';
import { HubError } from '../base/hub-error.ts';
import type { Logger } from '../base/logger.ts';
import { ModelFailureReason } from '../engine/model.ts';
import { type Setting, type SettingStore, seenPrefix } from '../settings/settings.ts';
import type { SeenState } from './language-models.ts';

const prefix = `${seenPrefix}providers.`;
/** The same outcome is stored again only after this time. */
const repeatMs = 60_000;

/** The last outcome of a request, and the address it went to. An outcome for another address says nothing. */
const StoredState = z.object({
  baseUrl: z.string(),
  at: z.number(),
  failure: z.object({ reason: ModelFailureReason, message: z.string() }).nullable(),
  /** How many models it listed. */
  models: z.number().nullable(),
  /** The last answer of a model since the last failure. */
  answer: z.object({ at: z.number(), model: z.string() }).nullable(),
});
type StoredState = z.infer<typeof StoredState>;

/** How a request went: it failed, the provider listed its models, or a model answered. */
export type Outcome = { error: unknown } | { models: number } | { answeredBy: string };

interface SeenParts {
  settings: SettingStore | undefined;
  clock: Clock;
  logger: Logger;
}

/** Remembers for all processes whether each provider answered when it was last asked. */
export class SeenStates {
  readonly #parts: SeenParts;

  constructor(parts: SeenParts) {
    this.#parts = parts;
  }

  async all(): Promise<(name: string, baseUrl: string | null) => SeenState> {
    const stored = (await this.#parts.settings?.list(prefix, StoredState)) ?? [];
    return (name, baseUrl) =>
      toSeen(
        stored.find(({ key }) => key === prefix + name),
        baseUrl,
      );
  }

  /** Never throws: a chat must not fail because this could not be stored. */
  async record(name: string, baseUrl: string, outcome: Outcome): Promise<void> {
    const { settings, clock, logger } = this.#parts;
    const failure = 'error' in outcome ? failureOf(outcome.error) : null;
    if (!settings || failure === undefined) return;
    try {
      const stored = (await settings.read(prefix + name, StoredState))?.value;
      const before = stored?.baseUrl === baseUrl ? stored : undefined;
      const at = clock.now();
      const models = 'models' in outcome ? outcome.models : (before?.models ?? null);
      // A list does not prove that models answer, and does not disprove it.
      const kept = failure === null && before?.failure === null ? before.answer : null;
      const answer = 'answeredBy' in outcome ? { at, model: outcome.answeredBy } : kept;
      const isSame =
        before !== undefined &&
        before.failure?.message === failure?.message &&
        before.models === models &&
        (before.answer === null) === (answer === null);
      if (isSame && at - before.at < repeatMs) return;
      await settings.write(prefix + name, { baseUrl, at, failure, models, answer } satisfies StoredState);
    } catch (error) {
      logger.warn({ err: error, provider: name }, 'the outcome of a request to a model provider was not stored');
    }
  }

  async forget(name: string): Promise<void> {
    await this.#parts.settings?.delete(prefix + name);
  }
}

/** Returns undefined if the error says nothing about the provider: it answered, or nobody waited for its answer. */
function failureOf(error: unknown): StoredState['failure'] | undefined {
  if (!(error instanceof HubError)) return undefined;
  const { data: reason } = ModelFailureReason.safeParse(error.details?.reason);
  if (!reason || ['model', 'request', 'length', 'rate'].includes(reason)) return undefined;
  return { reason, message: error.message.replace(/ Gave up after \d+ attempts\.$/, '') };
}

function toSeen(setting: Setting<StoredState> | undefined, baseUrl: string | null): SeenState {
  if (!setting || setting.value.baseUrl !== baseUrl) return { state: 'never' };
  const { failure, models, answer } = setting.value;
  const at = new Date(answer?.at ?? setting.value.at).toISOString();
  if (failure) return { state: 'failed', at, ...failure };
  return answer ? { state: 'worked', at, model: answer.model, models } : { state: 'reached', at, models };
}
