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

/** The last outcome of a request, the address it went to, and the mark of its key. With another address or key it says nothing. */
const StoredState = z.object({
  baseUrl: z.string(),
  /** Absent if it was unknown, and if an older version stored the outcome. */
  keyMark: z.string().optional(),
  at: z.number(),
  failure: z.object({ reason: ModelFailureReason, message: z.string(), isOfList: z.boolean().optional() }).nullable(),
  /** How many models it listed. */
  models: z.number().nullable(),
  /** The last answer of a model since the last failure. */
  answer: z.object({ at: z.number(), model: z.string() }).nullable(),
});
type StoredState = z.infer<typeof StoredState>;

/** A provider as it is asked now. */
export interface AskedProvider {
  name: string;
  baseUrl: string | null;
  /** Null if it is unknown: while the vault is locked, and without a key to make marks with. */
  keyMark: string | null;
}

/** Returns a mark by which a changed key is noticed. */
export type KeyMark = (apiKey: string | undefined) => string | null;

/** Makes marks with a key of the installation: whoever reads the settings without it cannot try out which key was marked. */
export function keyMarks(markKey: Buffer | undefined): KeyMark {
  const { createHmac } = process.getBuiltinModule('node:crypto');
  return (apiKey) => {
    if (apiKey === undefined) return '';
    return markKey ? createHmac('sha256', markKey).update(apiKey).digest('hex').slice(0, 8) : null;
  };
}

/** How a request went: it failed, the provider listed its models, or a model answered. */
export type Outcome = { error: unknown; isOfList?: boolean } | { models: number } | { answeredBy: string };

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

  async all(): Promise<(provider: AskedProvider) => SeenState> {
    const stored = (await this.#parts.settings?.list(prefix, StoredState)) ?? [];
    return (provider) => {
      const setting = stored.find(({ key }) => key === prefix + provider.name);
      return toSeen(setting && isOf(setting.value, provider) ? setting : undefined);
    };
  }

  /** Never throws: a chat must not fail because this could not be stored. */
  async record(provider: AskedProvider & { baseUrl: string }, outcome: Outcome): Promise<void> {
    const { name, baseUrl, keyMark } = provider;
    const { settings, clock, logger } = this.#parts;
    const failed = 'error' in outcome ? failureOf(outcome) : null;
    if (!settings || failed === undefined) return;
    try {
      const stored = (await settings.read(prefix + name, StoredState))?.value;
      const before = stored && isOf(stored, provider) ? stored : undefined;
      const models = 'models' in outcome ? outcome.models : (before?.models ?? null);
      // A list does not prove that models answer, and does not disprove it.
      const isOfList = 'models' in outcome || ('error' in outcome && outcome.isOfList === true);
      const lasting = before && isOfList && isOfAnswer(before.failure) ? before : undefined;
      const { at, failure } = lasting ?? { at: clock.now(), failure: failed };
      const kept = failure === null && before?.failure === null ? before.answer : null;
      const answer = 'answeredBy' in outcome ? { at, model: outcome.answeredBy } : kept;
      const isSame =
        before !== undefined &&
        before.failure?.message === failure?.message &&
        before.models === models &&
        (before.answer === null) === (answer === null);
      if (isSame && at - before.at < repeatMs) return;
      const state: StoredState = { baseUrl, at, failure, models, answer, ...(keyMark !== null && { keyMark }) };
      await settings.write(prefix + name, state);
    } catch (error) {
      logger.warn({ err: error, provider: name }, 'the outcome of a request to a model provider was not stored');
    }
  }

  async forget(name: string): Promise<void> {
    await this.#parts.settings?.delete(prefix + name);
  }
}

/** Returns undefined if the error says nothing about the provider: it answered, or nobody waited for its answer. */
function failureOf({
  error,
  isOfList = false,
}: {
  error: unknown;
  isOfList?: boolean;
}): StoredState['failure'] | undefined {
  if (!(error instanceof HubError)) return undefined;
  const { data: reason } = ModelFailureReason.safeParse(error.details?.reason);
  if (!reason || ['model', 'request', 'length', 'rate'].includes(reason)) return undefined;
  return { reason, message: error.message.replace(/ Gave up after \d+ attempts\.$/, ''), isOfList };
}

/** Whether a model refused to answer, for a reason that a list of models leaves open. */
function isOfAnswer(failure: StoredState['failure'] | undefined): boolean {
  return failure?.isOfList === false && !['address', 'unreachable', 'timeout'].includes(failure.reason);
}

function isOf(stored: StoredState, { baseUrl, keyMark }: AskedProvider): boolean {
  const isSameKey = stored.keyMark === undefined || keyMark === null || stored.keyMark === keyMark;
  return stored.baseUrl === baseUrl && isSameKey;
}

function toSeen(setting: Setting<StoredState> | undefined): SeenState {
  if (!setting) return { state: 'never' };
  const { failure, models, answer } = setting.value;
  const at = new Date(answer?.at ?? setting.value.at).toISOString();
  if (failure) return { state: 'failed', at, reason: failure.reason, message: failure.message };
  return answer ? { state: 'worked', at, model: answer.model, models } : { state: 'reached', at, models };
}
