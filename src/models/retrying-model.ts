import { type Clock, systemClock } from '../base/clock.ts';
import { HubError } from '../base/hub-error.ts';
import type { Model, ModelEvent, ModelPrice, ModelRequest } from '../engine/model.ts';
import { type FailedModel, readFailure, toModelError } from './model-failure.ts';

export interface ModelOptions {
  price?: ModelPrice | undefined;
  /** How people call the provider; what its package says where this is not given. */
  provider?: string | undefined;
  /** What must never stand in a message, the key for one. */
  secrets?: readonly string[] | undefined;
  clock?: Clock | undefined;
  /** From 0 to 1, for the spread of the delays. */
  random?: (() => number) | undefined;
}

const maxRetries = 3;
const firstDelayMs = 1000;
/** Who asks for a longer wait is told to the caller at once; to ask earlier would be rude and in vain. */
const longestWaitMs = 60_000;

interface AskedModel {
  provider: string;
  modelId: string;
  /** Asks once. Throws whatever the provider's side throws. */
  ask(request: ModelRequest): AsyncIterable<ModelEvent>;
}

/** What may pass is tried again as long as nothing was told yet; what fails is a HubError with provider, model and reason. */
export function retryingModel({ provider, modelId, ask }: AskedModel, options: ModelOptions): Model {
  const { clock = systemClock, random = Math.random } = options;
  const subject = `Model "${modelId}" of ${provider}`;
  const failed: FailedModel = { subject, provider, secrets: options.secrets ?? [] };
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
          return;
        } catch (error) {
          if (request.signal.aborted) throw cancelled(request.signal);
          const failure = readFailure(error, failed, clock);
          const wait = failure.waitMs ?? firstDelayMs * 2 ** (tries - 1) * (0.5 + random() / 2);
          if (hasBegun || !failure.isRetryable || tries > maxRetries || wait > longestWaitMs) {
            throw toModelError(failure, error, failed, tries);
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
  return reason instanceof HubError ? reason : new HubError('CANCELLED', 'The call of the model was cancelled.');
}
