import { z } from 'zod';
import type { Clock } from '../base/clock.ts';
import { HubError } from '../base/hub-error.ts';
import { ModelFailureReason } from '../engine/model.ts';
import type { Setting, SettingStore } from '../settings/settings.ts';
import type { SeenState } from './language-models.ts';

const prefix = 'seen.providers.';
/** The same outcome is stored again only after this time. */
const repeatMs = 60_000;

/** The last outcome of a request, and the address it went to. An outcome for another address says nothing. */
const StoredState = z.object({
  baseUrl: z.string(),
  at: z.number(),
  failure: z.object({ reason: ModelFailureReason, message: z.string() }).nullable(),
  models: z.number().nullable(),
});
type StoredState = z.infer<typeof StoredState>;

export interface Outcome {
  /** Undefined if the provider answered. */
  error?: unknown;
  /** The number of models that it listed. */
  models?: number | undefined;
}

/** Remembers for all processes whether each provider answered when it was last asked. */
export class SeenStates {
  readonly #settings: SettingStore | undefined;
  readonly #clock: Clock;

  constructor({ settings, clock }: { settings: SettingStore | undefined; clock: Clock }) {
    this.#settings = settings;
    this.#clock = clock;
  }

  async all(): Promise<(name: string, baseUrl: string | null) => SeenState> {
    const stored = (await this.#settings?.list(prefix, StoredState)) ?? [];
    return (name, baseUrl) =>
      toSeen(
        stored.find(({ key }) => key === prefix + name),
        baseUrl,
      );
  }

  /** Never throws: a chat must not fail because this could not be stored. */
  async record(name: string, baseUrl: string, { error, models }: Outcome): Promise<void> {
    const failure = error === undefined ? null : failureOf(error);
    if (failure === undefined) return;
    try {
      const before = (await this.#settings?.read(prefix + name, StoredState))?.value;
      const isKnown = before?.baseUrl === baseUrl;
      const count = models ?? (isKnown ? before.models : null);
      const at = this.#clock.now();
      const isSame = isKnown && before.failure?.message === failure?.message && before.models === count;
      if (isSame && at - before.at < repeatMs) return;
      await this.#settings?.write(prefix + name, { baseUrl, at, failure, models: count } satisfies StoredState);
    } catch (problem) {
      if (!(problem instanceof HubError)) throw problem;
    }
  }

  async forget(name: string): Promise<void> {
    await this.#settings?.delete(prefix + name);
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
  const { failure, models } = setting.value;
  const at = new Date(setting.value.at).toISOString();
  return failure ? { state: 'failed', at, ...failure } : { state: 'worked', at, models };
}
