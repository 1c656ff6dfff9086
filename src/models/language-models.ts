import { z } from 'zod';
import { type Model, ModelFailureReason, type ModelPrice } from '../engine/model.ts';
import type { AppliedSettings, SettingsPreview } from '../settings/app-settings.ts';

export const ProviderType = z.enum(['openai', 'anthropic', 'google', 'ollama', 'openai-compatible']);
export type ProviderType = z.infer<typeof ProviderType>;

/** The part of a model's name before the slash. */
export const ProviderName = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/,
    'must begin with a letter or digit and have at most 64 letters, digits, ".", "_" and "-"',
  );

export const ModelName = z
  .string()
  .regex(/^[^/\s]+\/\S+$/, 'must be provider/model')
  .max(200);

/** A provider as configured. */
export interface ProviderSettings {
  type: ProviderType;
  baseUrl?: string | undefined;
  apiKey?: string | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
  /** Prices by model. */
  prices?: Readonly<Record<string, ModelPrice>> | undefined;
  /** Set if it was added in the app, not in the config. */
  isAdded?: true | undefined;
}

/** A provider as the config file has it. */
export type ConfiguredProvider = Omit<ProviderSettings, 'type'> & { type?: ProviderType | undefined };

/** Everything needed to send a request to a provider. */
export interface ProviderAccess {
  name: string;
  type: ProviderType;
  baseUrl: string;
  apiKey: string | undefined;
  /** Explains which key exists but is not sent to this address. */
  withheld?: string | undefined;
  settings: ProviderSettings;
}

const dollars = z.number().min(0).max(1_000_000);

/** US dollars per million tokens, as somebody has confirmed them: costs and budgets in dollars use them. */
export const ConfirmedPrice = z.object({ input: dollars, output: dollars, cachedInput: dollars.optional() });
export type ConfirmedPrice = z.infer<typeof ConfirmedPrice>;

/** The price of a model, and where it is set. */
export const ListedPrice = ConfirmedPrice.extend({
  model: z.string().describe("The provider's name for the model."),
  from: z.enum(['config', 'app']),
  version: z.number().nullable().describe('The version of its setting; null unless it was set in the app.'),
});
export type ListedPrice = z.infer<typeof ListedPrice>;

/** How the last request to the provider went, from a test or from an agent. */
export const SeenState = z.discriminatedUnion('state', [
  z.object({ state: z.literal('never') }),
  /** It listed its models, which some servers do for any key. No model has answered yet. */
  z.object({ state: z.literal('reached'), at: z.iso.datetime(), models: z.number().nullable() }),
  z.object({
    state: z.literal('worked'),
    at: z.iso.datetime(),
    /** The provider's name for a model that answered. */
    model: z.string(),
    /** How many models it listed; null if it was not asked for them. */
    models: z.number().nullable(),
  }),
  z.object({ state: z.literal('failed'), at: z.iso.datetime(), reason: ModelFailureReason, message: z.string() }),
]);
export type SeenState = z.infer<typeof SeenState>;

export const ProviderInfo = z.object({
  name: z.string(),
  type: ProviderType,
  baseUrl: z.string().nullable(),
  /** Where the provider is defined: in the config file, in the app, or in neither, because it is built in. */
  from: z.enum(['config', 'app', 'built-in']),
  /** The version of the provider's setting; null unless it was added in the app. */
  version: z.number().nullable(),
  /** Where its key comes from. */
  key: z.enum(['config', 'environment', 'vault', 'none', 'not-needed']),
  /** Whether it has what a request needs. `seen` tells whether requests work. */
  isReady: z.boolean(),
  /** What to set if it is not ready, or which key is not sent to this address. */
  hint: z.string().nullable(),
  /** Where its missing key can be set, other than in the app. */
  keyPlaces: z.array(z.string()),
  /** Of the models whose price is set, by name. */
  prices: z.array(ListedPrice),
  seen: SeenState,
});
export type ProviderInfo = z.infer<typeof ProviderInfo>;

export const KeyAddress = z
  .string()
  .max(2_000)
  .optional()
  .describe('The address that the key is for. If the provider has another one by now, the key is not saved.');

/** What a user enters to add or change a provider. */
export const ProviderInput = z.strictObject({
  type: ProviderType,
  baseUrl: z
    .string()
    .trim()
    .max(2_000)
    .optional()
    .describe("The address of its API, usually up to /v1. Default: the type's own address."),
  key: z
    .string()
    .min(1)
    .max(10_000)
    .optional()
    .describe('An API key for this address. Without it, the saved key stays.'),
  version: z
    .number()
    .nullable()
    .optional()
    .describe('The version to replace; null for a new provider. Without it, whatever is there is replaced.'),
});
export type ProviderInput = z.infer<typeof ProviderInput>;

export const ProviderKey = z
  .string()
  .min(8)
  .max(10_000)
  .refine((value) => !/\s/.test(value), 'must not contain spaces or line ends');

/** What is tried before it is saved: a provider, or a key for the address that a provider has already. */
export const ProviderTrial = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('provider'), input: ProviderInput }),
  z.strictObject({ kind: z.literal('key'), key: ProviderKey, baseUrl: KeyAddress }),
]);
export type ProviderTrial = z.infer<typeof ProviderTrial>;

/** What is known about a model. It is for choosing one, not for billing. */
export const ModelFact = z.object({
  /** The maximum number of tokens in a conversation. */
  context: z.number().optional(),
  /** US dollars per million tokens. */
  input: z.number().optional(),
  output: z.number().optional(),
});
export type ModelFact = z.infer<typeof ModelFact>;

/** The models that a provider lists. */
export const ModelList = z.object({
  models: z.array(z.string()).describe("The provider's names for its models."),
  facts: z.record(z.string(), ModelFact).describe('What the provider itself says about them.'),
});
export type ModelList = z.infer<typeof ModelList>;

/** The result of asking a provider for its models, and one of them for a short answer. */
export const ProviderTest = z.object({
  provider: ProviderInfo,
  /** Null if it did not list its models. */
  listed: ModelList.nullable(),
  /** How long the last request took. */
  latencyMs: z.number(),
  /** The model that answered; null if none was asked. */
  answeredBy: z.string().nullable(),
  failure: z
    .object({
      /** What failed: the request for the list, or the one to a model. */
      step: z.enum(['list', 'answer']),
      code: z.string(),
      reason: ModelFailureReason.nullable(),
      message: z.string(),
    })
    .nullable(),
});
export type ProviderTest = z.infer<typeof ProviderTest>;

/** The result of asking a provider for its models before it is saved. */
export const ProviderConnection = ProviderTest.extend({
  isSaved: z.boolean(),
  provider: ProviderInfo.nullable().describe('As it is now. Null if there is none, because it was not saved.'),
});
export type ProviderConnection = z.infer<typeof ProviderConnection>;

/** The model of agents that name none. */
export const DefaultModel = z.object({
  model: z.string().nullable(),
  from: z.enum(['config', 'app', 'none']),
  /** The version of the setting; null unless it was made in the app. */
  version: z.number().nullable(),
});
export type DefaultModel = z.infer<typeof DefaultModel>;

/** The version of the setting that the user saw; null for none. Without it, whatever is there is replaced. */
const seenVersion = z.number().nullable().optional();

/** One change to the models of the hub. What comes from the config file is changed there; everything else is stored in the database. */
export const ModelChange = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('provider'),
    name: z.string().min(1).max(200),
    provider: ProviderInput.nullable().describe('Null removes it.'),
  }),
  z.strictObject({ kind: z.literal('default'), model: ModelName.nullable(), version: seenVersion }),
  z.strictObject({
    kind: z.literal('price'),
    model: ModelName,
    price: z
      .strictObject(ConfirmedPrice.shape)
      .nullable()
      .describe('US dollars per million tokens; 0 if the model is free. Null removes it.'),
    version: seenVersion,
  }),
  z.strictObject({
    kind: z.literal('embeddings'),
    model: z.string().min(1).max(200).nullable().describe('`provider/model`, or "local". Null turns it off.'),
    version: seenVersion,
  }),
]);
export type ModelChange = z.infer<typeof ModelChange>;

export interface LanguageModels {
  /** Resolves `provider/model`. `variables` win over the environment. Throws INVALID_ARGUMENTS (wrong form, or unknown provider with a list of the known ones) and NOT_CONFIGURED (says what to set). */
  resolve(name: string, variables?: Readonly<Record<string, string>>): Promise<Model>;
  /** Lists the configured providers, and the well-known ones without a key. */
  providers(): Promise<ProviderInfo[]>;
  /** Throws NOT_FOUND with the known providers. */
  provider(name: string): Promise<ProviderInfo>;
  /** Throws the errors of `resolve`, MODEL_ERROR and TIMEOUT. */
  list(provider: string, options: { signal: AbortSignal }): Promise<ModelList>;
  /**
   * Asks the provider for its models, and one of them for a short answer: the given one, the default model, or one that it lists. With null,
   * asks for the list only. A failure is part of the result. Throws NOT_FOUND.
   */
  test(provider: string, options: { model?: string | null | undefined; signal: AbortSignal }): Promise<ProviderTest>;
  /**
   * Asks a provider for its models, and saves it, or its key, only once it answers. A failure to answer is part of the result. Throws as
   * `apply` and `setKey`, and CONFLICT if the config file defines the provider, or if a key of the config or the environment takes precedence.
   */
  connect(provider: string, trial: ProviderTrial, options: { signal: AbortSignal }): Promise<ProviderConnection>;
  /** Throws as `apply`, and changes nothing. */
  preview(change: ProviderChange): Promise<SettingsPreview>;
  /**
   * Changes a provider, a price or the default model where it comes from: in the config file, otherwise in the database. Throws INVALID_ARGUMENTS,
   * NOT_FOUND, CONFLICT if it is not as the user saw it (`version`; `hash` of the file) or the file cannot be edited, and the errors of `resolve`.
   */
  apply(change: ProviderChange, options?: { hash?: string | undefined }): Promise<AppliedSettings>;
  /** Adds or changes a provider, as `apply`. */
  save(provider: string, input: ProviderInput): Promise<void>;
  /** Removes a provider and its key, as `apply`. Throws CONFLICT for a built-in one. */
  remove(provider: string): Promise<void>;
  /**
   * Stores the key in the vault for the provider's current address, the only one it is sent to; null deletes it. Throws NOT_FOUND,
   * NOT_CONFIGURED (there is no address yet), and CONFLICT if the address is not the one that the user saw.
   */
  setKey(provider: string, key: string | null, seen?: { baseUrl?: string | undefined }): Promise<void>;
  /** Returns the address and key for a request to the provider. Throws INVALID_ARGUMENTS, NOT_CONFIGURED and INVALID_CONFIG. */
  access(provider: string): Promise<ProviderAccess>;
  defaultModel(): Promise<DefaultModel>;
  /** Chooses the default model, as `apply`. Null removes the choice. */
  setDefaultModel(model: string | null): Promise<void>;
}

/** A change to a provider, to a price or to the default model. */
export type ProviderChange = Exclude<ModelChange, { kind: 'embeddings' }>;
