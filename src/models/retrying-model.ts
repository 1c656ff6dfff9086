import { type Clock, systemClock } from '../base/clock.ts';
import { HubError } from '../base/hub-error.ts';
import type { Model, ModelEvent, ModelPrice, ModelRequest } from '../engine/model.ts';
import { type FailedModel, readFailure, toModelError } from './model-failure.ts';

export interface ModelOptions {
  price?: ModelPrice | undefined;
  /** The provider's name for messages; the package's name by default. */
  provider?: string | undefined;
  /** Values that must never appear in a message, such as the key. */
  secrets?: readonly string[] | undefined;
  clock?: Clock | undefined;
  /** What the user can do if the provider requires a key and got none. */
  keyHint?: string | undefined;
  /** The provider's address, for messages. */
  baseUrl?: string | undefined;
  /** Called when a request has been answered, or has failed for good. */
  onOutcome?: ((error?: HubError) => void) | undefined;
  /** How often a temporary failure is retried. Default: 3. */
  maxRetries?: number | undefined;
  /** Returns 0 to 1, for the jitter of retry delays. */
  random?: (() => number) | undefined;
}

const defaultRetries = 3;
const firstDelayMs = 1000;
/** If the provider asks for a longer wait, the call fails at once: retrying earlier would not help. */
const maxWaitMs = 60_000;

interface SingleAttempt {
  provider: string;
  modelId: string;
  /** Asks once. Throws the provider's errors. */
  ask(request: ModelRequest): AsyncIterable<ModelEvent>;
}

/** Creates a model that retries temporary failures until the first event. Other failures become HubErrors that name provider, model and reason. */
export function retryingModel({ provider, modelId, ask }: SingleAttempt, options: ModelOptions): Model {
  const { clock = systemClock, random = Math.random, maxRetries = defaultRetries, baseUrl } = options;
  const subject = `Model "${modelId}" of ${provider}`;
  const failed: FailedModel = { subject, provider, baseUrl, secrets: options.secrets ?? [], keyHint: options.keyHint };
  return {
    provider,
    modelId,
    price: options.price,
    async *stream(request) {
      for (let tries = 1; ; tries += 1) {
        let hasBegun = false;
        try {
          request.signal.throwIfAborted();
          for await (const event of ask(request)) {
            hasBegun = true;
            yield event;
          }
          options.onOutcome?.();
          return;
        } catch (error) {
          if (request.signal.aborted) throw cancelled(request.signal);
          const failure = readFailure(error, failed, clock);
          const wait = failure.waitMs ?? firstDelayMs * 2 ** (tries - 1) * (0.5 + random() / 2);
          if (hasBegun || !failure.isRetryable || tries > maxRetries || wait > maxWaitMs) {
            const modelError = toModelError(failure, error, failed, tries);
            options.onOutcome?.(modelError);
            throw modelError;
          }
          await clock.sleep(wait, request.signal).catch((reason: unknown) => {
            throw request.signal.aborted ? cancelled(request.signal) : reason;
          });
        }
      }
    },
  };
}

function cancelled({ reason }: AbortSignal): HubError {
  return reason instanceof HubError ? reason : new HubError('CANCELLED', 'The model call was cancelled.');
}
