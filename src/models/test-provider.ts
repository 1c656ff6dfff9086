import type { Clock } from '../base/clock.ts';
import { HubError } from '../base/hub-error.ts';
import { type Model, ModelFailureReason } from '../engine/model.ts';
import type { ModelList, ProviderAccess, ProviderTest } from './language-models.ts';
import { modelFacts } from './model-facts.ts';
import type { Outcome } from './seen-states.ts';

interface TestParts {
  access: ProviderAccess;
  list(): Promise<ModelList>;
  /** Returns a model that does not retry. */
  load(modelId: string): Promise<Model>;
  /** Stores how the request to the model went. */
  record(outcome: Outcome): Promise<void>;
  clock: Clock;
  answerTimeoutMs?: number | undefined;
  /** The model to ask if none is given. Without it, one of the listed models is asked. */
  preferred: string | undefined;
}

type Tested = Omit<ProviderTest, 'provider'>;
type Failure = NonNullable<ProviderTest['failure']>;

/**
 * Asks for the list of models and, unless `model` is null, one model for a short answer. A server without a list passes if the model
 * answers.
 */
export async function testProvider(
  { access, list, load, record, clock, preferred, answerTimeoutMs = 60_000 }: TestParts,
  { model, signal }: { model?: string | null | undefined; signal: AbortSignal },
): Promise<Tested> {
  let startedAt = clock.now();
  let listed: ModelList | null = null;
  const tested = (result: Partial<Tested>): Tested => ({
    listed,
    latencyMs: Math.max(0, clock.now() - startedAt),
    answeredBy: null,
    failure: null,
    ...result,
  });
  const wanted = model === null ? null : (model ?? preferred);
  try {
    listed = await list();
  } catch (error) {
    const failure = toFailure('list', error, signal);
    if (!wanted || !(failure.reason === 'address' || failure.reason === 'request')) return tested({ failure });
  }
  const modelId = wanted === null ? null : (wanted ?? (listed && modelToAsk(access, listed)));
  if (!modelId) return tested({});
  startedAt = clock.now();
  const late = AbortSignal.timeout(answerTimeoutMs);
  try {
    await askBriefly(await load(modelId), AbortSignal.any([signal, late]));
  } catch (cause) {
    const message = `Model "${modelId}" of ${access.name} did not answer within ${answerTimeoutMs / 1000} s. Try again, or choose another model.`;
    const error =
      late.aborted && !signal.aborted
        ? new HubError('TIMEOUT', message, { cause, details: { reason: 'timeout' satisfies ModelFailureReason } })
        : cause;
    const result = tested({ failure: toFailure('answer', error, signal) });
    await record({ error });
    return result;
  }
  const result = tested({ answeredBy: `${access.name}/${modelId}` });
  await record({ answeredBy: modelId });
  return result;
}

/** Names of models that hold no conversations. */
const otherKinds =
  /embed|rerank|bge-|minilm|whisper|tts|speech|audio|transcri|realtime|moderation|guard|dall-e|image|video|sora|veo|ocr|babbage|davinci/i;

/** Returns the cheapest model with a known price, or the first one that can probably answer. */
function modelToAsk({ type }: ProviderAccess, { models, facts }: ModelList): string | undefined {
  const known = modelFacts().models[type] ?? {};
  const able = models.filter((model) => !otherKinds.test(model));
  const priced = able.flatMap((model) => {
    const price = (facts[model] ?? known[model])?.output;
    return price !== undefined && price > 0 ? [{ model, price }] : [];
  });
  return priced.toSorted((one, other) => one.price - other.price)[0]?.model ?? able[0] ?? models[0];
}

async function askBriefly(model: Model, signal: AbortSignal): Promise<void> {
  const content = [{ type: 'text' as const, text: 'Reply with the word "ok".' }];
  const request = { system: '', messages: [{ role: 'user' as const, content }], tools: [], signal };
  // The beginning is enough. A limit on the length would be a setting that some models reject.
  for await (const _ of model.stream({ ...request, settings: {} })) return;
}

/** Describes an expected failure. Throws all others, and the end of the request. */
export function toFailure(step: Failure['step'], error: unknown, signal: AbortSignal): Failure {
  if (!(error instanceof HubError) || signal.aborted) throw error;
  const { code, message } = error;
  return { step, code, message, reason: ModelFailureReason.safeParse(error.details?.reason).data ?? null };
}
