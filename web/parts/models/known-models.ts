import type { ModelFact, ModelList, ProviderInfo } from '../../../src/models/language-models.ts';
import type { ModelFacts } from '../../../src/models/model-facts.ts';
import { priceWords } from '../runs/usage-words.ts';

/** A model that can be chosen. */
export interface KnownModel {
  /** `provider/model`. */
  name: string;
  provider: string;
  /** Tokens. */
  context: number | undefined;
  /** US dollars per million tokens. */
  input: number | undefined;
  output: number | undefined;
  /** Whether the price is that of our dated list, not one that was set or that the provider itself tells. */
  isDated: boolean;
}

type Provider = Pick<ProviderInfo, 'name' | 'type' | 'isReady' | 'prices' | 'seen'>;

/** What a provider replied when it was asked for its models. */
export interface Listed {
  provider: string;
  /** Undefined until it has replied. */
  list: ModelList | undefined;
  error?: string | undefined;
}

/** The models of one provider that match a search. */
export interface ModelGroup {
  provider: string;
  items: KnownModel[];
  /** How many more match and are not shown. */
  more: number;
}

/** Together, all groups show at most about this many models, and each at least `minInGroup`. */
const maxShown = 120;
const minInGroup = 10;

/**
 * Returns the models of the providers that are set up: those they list, or the well-known ones until they have replied. Those
 * of a provider that failed come last.
 */
export function knownModels(
  providers: readonly Provider[],
  listed: readonly Listed[],
  facts: ModelFacts | undefined,
): KnownModel[] {
  const hasFailed = ({ seen }: Provider) => Number(seen.state === 'failed');
  const best = providers.toSorted((one, other) => hasFailed(one) - hasFailed(other));
  return best.flatMap(({ name: provider, type, isReady, prices }) => {
    if (!isReady) return [];
    const known = facts?.models[type] ?? {};
    const set = new Map(prices.map((price) => [price.model, price]));
    const { models = Object.keys(known), facts: own = {} } =
      listed.find((each) => each.provider === provider)?.list ?? {};
    return models.map((model) => {
      const dated = datedFact(facts, type, model);
      const told: ModelFact | undefined = own[model];
      const better = set.get(model) ?? (told?.input === undefined ? undefined : told);
      const { input, output } = better ?? dated ?? {};
      const context = told?.context ?? dated?.context;
      const isDated = input !== undefined && better === undefined;
      return { name: `${provider}/${model}`, provider, context, input, output, isDated };
    });
  });
}

/** Returns what our list says about a model. */
export function datedFact(
  facts: ModelFacts | undefined,
  type: ProviderInfo['type'],
  model: string,
): ModelFact | undefined {
  const known = facts?.models[type] ?? {};
  return known[model] ?? known[withoutDate(model)];
}

/** `gpt-5-2025-08-07` and `claude-haiku-4-5-20251001` cost as much as the models without a date. */
function withoutDate(model: string): string {
  return model.replace(/-\d{4}-?\d{2}-?\d{2}$/, '');
}

/**
 * Returns the models that contain every word, by provider. Those that begin with the query come first, and so do their providers. Every
 * provider with a match has a group, however many models the others have.
 */
export function searchModels(models: readonly KnownModel[], query: string): ModelGroup[] {
  const text = query.trim().toLowerCase();
  const words = text.split(/[\s/]+/).filter(Boolean);
  const found = models.filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)));
  const rank = ({ name }: KnownModel) => {
    const full = name.toLowerCase();
    return full.startsWith(text) || full.slice(full.indexOf('/') + 1).startsWith(text) ? 0 : 1;
  };
  const groups = [
    ...Map.groupBy(
      found.toSorted((one, other) => rank(one) - rank(other)),
      ({ provider }) => provider,
    ),
  ];
  const max = Math.max(minInGroup, Math.floor(maxShown / Math.max(1, groups.length)));
  return groups.map(([provider, items]) => ({
    provider,
    items: items.slice(0, max),
    more: Math.max(0, items.length - max),
  }));
}

/** Returns why a typed name cannot work; null if it can, or if nothing is known against it. */
export function wrongName(typed: string, providers: readonly ProviderInfo[], listed: readonly Listed[]): string | null {
  const text = typed.trim();
  if (text === '') return null;
  const [name = '', ...rest] = text.split('/');
  const model = rest.join('/');
  const known = providers.map((each) => each.name).join(', ');
  if (model === '') return rest.length > 0 ? null : `Use provider/model. Providers: ${known}.`;
  const provider = providers.find((each) => each.name === name);
  if (!provider) return `There is no provider "${name}". Available: ${known}.`;
  if (!provider.isReady) return provider.hint ?? `Provider "${name}" is not set up.`;
  const reply = listed.find((each) => each.provider === name);
  if (reply?.error !== undefined) return reply.error;
  const models = reply?.list?.models;
  if (!models || models.includes(model) || models.includes(`${model}:latest`)) return null;
  const choice = models.length === 1 ? 'its only model' : `one of its ${models.length} models`;
  return `${name} does not list "${model}". Choose ${choice}, or check the name.`;
}

/** Describes a model in a few words: context size, and dollars per million tokens of input and output. */
export function factWords({ context, input, output }: Pick<KnownModel, 'context' | 'input' | 'output'>): string {
  const size =
    context === undefined
      ? []
      : [
          context >= 1_000_000
            ? `${rounded(context / 1_000_000, 1)}M context`
            : `${rounded(context / 1_000, 0)}K context`,
        ];
  const price = input === undefined || output === undefined ? [] : [`${priceWords(input)} / ${priceWords(output)}`];
  return [...size, ...price].join(' · ');
}

function rounded(value: number, digits: number): string {
  return String(Number(value.toFixed(digits)));
}
