import { systemClock } from '../base/clock.ts';
import { HubError } from '../base/hub-error.ts';
import type { ModelFailureReason } from '../engine/model.ts';
import type { ModelFact, ModelList, ProviderAccess } from './language-models.ts';
import { readFailure, shorten, toModelError } from './model-failure.ts';

const timeoutMs = 20_000;
const maxPages = 20;

interface ModelPage {
  models: [id: string, fact: ModelFact][];
  /** The query for the next page. */
  next: string | undefined;
}

/** Returns a provider's models, sorted by name. Throws MODEL_ERROR, CANCELLED and TIMEOUT. */
export async function listModels(access: ProviderAccess, signal: AbortSignal): Promise<ModelList> {
  const found = new Map<string, ModelFact>();
  let query: string | undefined = firstQueries[access.type] ?? '';
  for (let pages = 0; query !== undefined && pages < maxPages; pages += 1) {
    const page: ModelPage = readPage(access, await requestPage(access, query, signal));
    for (const [id, fact] of page.models) found.set(id, fact);
    query = page.next;
  }
  const facts = [...found].filter(([, fact]) => Object.keys(fact).length > 0);
  return { models: [...found.keys()].sort(), facts: Object.fromEntries(facts) };
}

const firstQueries: Partial<Record<ProviderAccess['type'], string>> = {
  anthropic: '?limit=1000',
  google: '?pageSize=1000',
};

async function requestPage(access: ProviderAccess, query: string, signal: AbortSignal): Promise<unknown> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const subject = `The model list of ${access.name}`;
  const model = {
    subject,
    provider: access.name,
    baseUrl: access.baseUrl,
    secrets: access.apiKey ? [access.apiKey] : [],
    keyHint: access.withheld,
  };
  let response: Response;
  let text: string;
  try {
    response = await fetch(`${access.baseUrl}/models${query}`, {
      headers: { accept: 'application/json', ...keyHeaders(access), ...access.settings.headers },
      redirect: 'error',
      signal: AbortSignal.any([signal, timeout]),
    });
    text = await response.text();
  } catch (error) {
    if (signal.aborted) {
      throw signal.reason instanceof HubError
        ? signal.reason
        : new HubError('CANCELLED', 'Listing the models was cancelled.');
    }
    if (timeout.aborted) {
      const message = `Provider "${access.name}" did not list its models within ${timeoutMs / 1000} s. Check the address, or try again.`;
      throw new HubError('TIMEOUT', message, { details: { reason: 'timeout' satisfies ModelFailureReason } });
    }
    throw toModelError(readFailure(error, model, systemClock), undefined, model, 1);
  }
  if (response.ok) return parse(text, access);
  const { status } = response;
  const message = messageIn(text, model.secrets);
  const { reason, ...failure } = readFailure(
    { statusCode: status, responseBody: text.slice(0, 10_000) },
    model,
    systemClock,
  );
  // No model was asked for, so the path itself does not exist.
  throw toModelError({ ...failure, message, reason: reason === 'model' ? 'address' : reason }, undefined, model, 1);
}

function keyHeaders({ type, apiKey }: ProviderAccess): Record<string, string> {
  if (type === 'anthropic') return { 'anthropic-version': '2023-06-01', ...(apiKey && { 'x-api-key': apiKey }) };
  if (apiKey === undefined) return {};
  return type === 'google' ? { 'x-goog-api-key': apiKey } : { authorization: `Bearer ${apiKey}` };
}

function parse(text: string, access: ProviderAccess): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const message = `Provider "${access.name}" replied to the request for its models with something that is not JSON. Check its address, which usually ends in /v1.`;
    const reason: ModelFailureReason = 'address';
    throw new HubError('MODEL_ERROR', message, { details: { reason, isRetryable: false } });
  }
}

interface ForeignPage {
  data?: ({ id?: unknown } & ForeignFacts)[];
  has_more?: unknown;
  last_id?: unknown;
  models?: { name?: unknown; supportedGenerationMethods?: unknown; inputTokenLimit?: unknown }[];
  nextPageToken?: unknown;
}

/** Servers with the API of OpenAI call the size of the context differently. */
const contextNames = ['context_length', 'context_window', 'max_context_length', 'max_model_len'] as const;

type ForeignFacts = {
  [name in (typeof contextNames)[number]]?: unknown;
} & {
  /** Of llama.cpp. */
  meta?: { n_ctx_train?: unknown } | null;
  /** Of OpenRouter: dollars per token, as texts. */
  pricing?: { prompt?: unknown; completion?: unknown } | null;
};

function readPage({ type }: ProviderAccess, answer: unknown): ModelPage {
  const page = (typeof answer === 'object' && answer !== null ? answer : {}) as ForeignPage;
  if (type === 'google') {
    const models = listOf(page.models).filter(({ supportedGenerationMethods: methods }) =>
      Array.isArray(methods) ? methods.includes('generateContent') : true,
    );
    const token = page.nextPageToken;
    return {
      models: models.flatMap(({ name, inputTokenLimit }) =>
        typeof name === 'string' ? [[name.replace(/^models\//, ''), factOf({ context: count(inputTokenLimit) })]] : [],
      ),
      next:
        typeof token === 'string' && token !== '' ? `?pageSize=1000&pageToken=${encodeURIComponent(token)}` : undefined,
    };
  }
  const models = listOf(page.data).flatMap(({ id, ...facts }): ModelPage['models'] =>
    typeof id === 'string' ? [[id, readFacts(facts)]] : [],
  );
  const isMore = page.has_more === true && typeof page.last_id === 'string' && type === 'anthropic';
  return { models, next: isMore ? `?limit=1000&after_id=${encodeURIComponent(String(page.last_id))}` : undefined };
}

function readFacts(model: ForeignFacts): ModelFact {
  const [context] = [...contextNames.map((name) => model[name]), model.meta?.n_ctx_train].flatMap((value) => {
    const tokens = count(value);
    return tokens === undefined ? [] : [tokens];
  });
  return factOf({ context, input: perMillion(model.pricing?.prompt), output: perMillion(model.pricing?.completion) });
}

function factOf(fact: { [name in keyof ModelFact]: ModelFact[name] | undefined }): ModelFact {
  return Object.fromEntries(Object.entries(fact).filter(([, value]) => value !== undefined));
}

function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined;
}

/** OpenRouter lists -1 for a model whose price depends on where it sends the request. */
function perMillion(dollars: unknown): number | undefined {
  const price = typeof dollars === 'string' && dollars.trim() !== '' ? Number(dollars) : dollars;
  if (typeof price !== 'number' || !(price >= 0 && price < 1)) return undefined;
  return Number((price * 1_000_000).toPrecision(10));
}

function listOf<T>(value: T[] | undefined): T[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'object' && each !== null) : [];
}

function messageIn(text: string, secrets: readonly string[]): string {
  try {
    const { error, message } = JSON.parse(text) as { error?: { message?: unknown } | string; message?: unknown };
    const reason = typeof error === 'string' ? error : (error?.message ?? message);
    return typeof reason === 'string' ? shorten(reason, secrets) : '';
  } catch {
    return '';
  }
}
