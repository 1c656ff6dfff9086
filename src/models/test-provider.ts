import type { Clock } from '../base/clock.ts';
import { HubError } from '../base/hub-error.ts';
import { type Model, ModelFailureReason } from '../engine/model.ts';
import type { ProviderAccess, ProviderTest } from './language-models.ts';

const answerTimeoutMs = 60_000;

interface TestParts {
  access: ProviderAccess;
  list(): Promise<string[]>;
  /** Returns a model that does not retry. */
  load(modelId: string): Promise<Model>;
  clock: Clock;
}

type Tested = Omit<ProviderTest, 'provider'>;

/** Asks for the list of models and, if a model is given, for a short answer. A server without a list passes if the model answers. */
export async function testProvider(
  { access, list, load, clock }: TestParts,
  { model: modelId, signal }: { model?: string | undefined; signal: AbortSignal },
): Promise<Tested> {
  let startedAt = clock.now();
  let models: string[] | null = null;
  const tested = (result: Partial<Tested>): Tested => ({
    models,
    latencyMs: Math.max(0, clock.now() - startedAt),
    answeredBy: null,
    failure: null,
    ...result,
  });
  try {
    models = await list();
  } catch (error) {
    const failure = toFailure(error, signal);
    if (modelId === undefined || !(failure.reason === 'address' || failure.reason === 'request'))
      return tested({ failure });
  }
  if (modelId === undefined) return tested({});
  startedAt = clock.now();
  const late = AbortSignal.timeout(answerTimeoutMs);
  try {
    await askBriefly(await load(modelId), AbortSignal.any([signal, late]));
    return tested({ answeredBy: `${access.name}/${modelId}` });
  } catch (error) {
    if (!late.aborted || signal.aborted) return tested({ failure: toFailure(error, signal) });
    const message = `Model "${modelId}" of ${access.name} did not answer within ${answerTimeoutMs / 1000} s. Try again, or choose another model.`;
    return tested({ failure: { code: 'TIMEOUT', reason: 'timeout', message } });
  }
}

async function askBriefly(model: Model, signal: AbortSignal): Promise<void> {
  const content = [{ type: 'text' as const, text: 'Reply with the word "ok".' }];
  const request = { system: '', messages: [{ role: 'user' as const, content }], tools: [], signal };
  // The beginning is enough. A limit on the length would be a setting that some models reject.
  for await (const _ of model.stream({ ...request, settings: {} })) return;
}

/** Describes an expected failure. Throws all others, and the end of the request. */
export function toFailure(error: unknown, signal: AbortSignal): NonNullable<ProviderTest['failure']> {
  if (!(error instanceof HubError) || signal.aborted) throw error;
  const { code, message } = error;
  return { code, message, reason: ModelFailureReason.safeParse(error.details?.reason).data ?? null };
}
