import { isRecord } from '../base/is-record.ts';
import type { ModelPrice } from '../engine/model.ts';
import { hubChange, type PlannedChange } from '../settings/config-file.ts';
import type { SettingStore } from '../settings/settings.ts';
import {
  ConfirmedPrice,
  type ListedPrice,
  type ModelChange,
  type ProviderAccess,
  type ProviderSettings,
} from './language-models.ts';
import { type ChangeParts, requireSettings } from './plan-changes.ts';

/** The rest of the key is `provider/model`. */
const prefix = 'prices.';

/** The prices of all models, by provider. */
type PricesByProvider = ReadonlyMap<string, readonly ListedPrice[]>;

/** Returns the prices of the config, and those of the app for models that the config has none for. */
export async function allPrices(
  providers: Readonly<Record<string, Pick<ProviderSettings, 'prices'>>>,
  store: SettingStore | undefined,
): Promise<PricesByProvider> {
  const configured = Object.entries(providers).flatMap(([provider, { prices = {} }]) =>
    Object.entries(prices).map(([model, price]) => {
      return { provider, listed: { ...price, model, from: 'config' as const, version: null } };
    }),
  );
  const added = ((await store?.list(prefix, ConfirmedPrice)) ?? []).map(({ key, value, version }) => {
    const [provider = '', ...model] = key.slice(prefix.length).split('/');
    return { provider, listed: { ...value, model: model.join('/'), from: 'app' as const, version } };
  });
  const isConfigured = (name: string, model: string) => Object.hasOwn(providers[name]?.prices ?? {}, model);
  const applied = [...configured, ...added.filter(({ provider, listed }) => !isConfigured(provider, listed.model))];
  const byProvider = Map.groupBy(applied, ({ provider }) => provider);
  return new Map([...byProvider].map(([name, of]) => [name, of.map(({ listed }) => listed).sort(byModel)]));
}

function byModel({ model: one }: ListedPrice, { model: other }: ListedPrice): number {
  return one < other ? -1 : 1;
}

/** Returns the price of a model; undefined if nobody has set it. The config wins over the app. */
export async function priceOf(
  store: SettingStore | undefined,
  { name, settings: { prices = {} } }: Pick<ProviderAccess, 'name' | 'settings'>,
  model: string,
): Promise<ModelPrice | undefined> {
  if (Object.hasOwn(prices, model)) return prices[model];
  return (await store?.read(`${prefix}${name}/${model}`, ConfirmedPrice))?.value;
}

/** A price that is in the file is changed there; otherwise it is stored in the hub. */
export async function planPrice(
  { file, settings }: ChangeParts,
  { model: name, price, version }: Extract<ModelChange, { kind: 'price' }>,
  hash: string | undefined,
): Promise<PlannedChange> {
  const [provider = '', ...model] = name.split('/');
  const path = ['providers', provider, 'prices', model.join('/')];
  const written = await file?.value(path);
  if (file && isRecord(written)) {
    if (price === null) return file.plan([{ path, value: null }], { hash });
    const wanted = { input: price.input, output: price.output, cached_input: price.cachedInput };
    // An unchanged number stays as somebody wrote it.
    const edits = Object.entries(wanted).filter(([key, value]) => written[key] !== value);
    return file.plan(
      edits.map(([key, value]) => ({ path: [...path, key], value: value ?? null })),
      { hash },
    );
  }
  const store = requireSettings(settings);
  const key = prefix + name;
  return hubChange(() => (price === null ? store.delete(key, version) : store.write(key, price, version)));
}

/** Forgets the prices of a provider that is removed: another one with its name may cost something else. */
export async function forgetPrices(store: SettingStore | undefined, provider: string): Promise<void> {
  const stored = (await store?.list(`${prefix}${provider}/`, ConfirmedPrice)) ?? [];
  if (stored.length > 0) await store?.change(stored.map(({ key }) => ({ key })));
}
