import type { ProviderInfo } from '../../../src/models/language-models.ts';
import type { ModelFacts } from '../../../src/models/model-facts.ts';

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
}

type Provider = Pick<ProviderInfo, 'name' | 'type' | 'isReady'>;

/** What a provider replied when it was asked for its models. */
export interface Listed {
  provider: string;
  /** Undefined until it has replied. */
  models: readonly string[] | undefined;
  error?: string | undefined;
}

const maxShown = 100;

/** Returns the models of the providers that are set up: those they list, or the well-known ones until they have replied. */
export function knownModels(
  providers: readonly Provider[],
  listed: readonly Listed[],
  facts: ModelFacts | undefined,
): KnownModel[] {
  return providers.flatMap(({ name: provider, type, isReady }) => {
    if (!isReady) return [];
    const known = facts?.models[type] ?? {};
    const models = listed.find((each) => each.provider === provider)?.models ?? Object.keys(known);
    return models.map((model) => {
      const fact = known[model] ?? known[withoutDate(model)];
      const { context, input, output } = fact ?? {};
      return { name: `${provider}/${model}`, provider, context, input, output };
    });
  });
}

/** `gpt-5-2025-08-07` and `claude-haiku-4-5-20251001` cost as much as the models without a date. */
function withoutDate(model: string): string {
  return model.replace(/-\d{4}-?\d{2}-?\d{2}$/, '');
}

/** Returns the models that contain every word, those that begin with the query first. */
export function searchModels(models: readonly KnownModel[], query: string): KnownModel[] {
  const text = query.trim().toLowerCase();
  const words = text.split(/[\s/]+/).filter(Boolean);
  const found = models.filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)));
  const rank = ({ name }: KnownModel) =>
    name.toLowerCase().startsWith(text) ||
    name
      .slice(name.indexOf('/') + 1)
      .toLowerCase()
      .startsWith(text)
      ? 0
      : 1;
  return found.toSorted((one, other) => rank(one) - rank(other)).slice(0, maxShown);
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
  if (!reply?.models || reply.models.includes(model) || reply.models.includes(`${model}:latest`)) return null;
  return `${name} does not list "${model}". Choose ${reply.models.length === 1 ? 'its only model' : `one of its ${reply.models.length} models`}, or check the name.`;
}

/** Describes a model in a few words: context size, and dollars per million tokens of input and output. */
export function factWords({ context, input, output }: Omit<KnownModel, 'name' | 'provider'>): string {
  const size =
    context === undefined
      ? []
      : [
          context >= 1_000_000
            ? `${rounded(context / 1_000_000, 1)}M context`
            : `${rounded(context / 1_000, 0)}K context`,
        ];
  const price = input === undefined || output === undefined ? [] : [`$${rounded(input, 3)} / $${rounded(output, 3)}`];
  return [...size, ...price].join(' · ');
}

function rounded(value: number, digits: number): string {
  return String(Number(value.toFixed(digits)));
}
