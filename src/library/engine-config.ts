import type { Clock } from '../base/clock.ts';
import { HubError } from '../base/hub-error.ts';
import type { Logger } from '../base/logger.ts';
import { nearest } from '../base/nearest.ts';
import type { Tracer } from '../base/tracer.ts';
import type { ContextObjectModel } from '../engine/context-object-model.ts';
import type { ModelSettings } from '../engine/model.ts';
import type { RunOptions } from '../engine/run-options.ts';
import type { RunStore } from '../engine/run-store.ts';
import type { AnyTool } from '../engine/to-executable-tool.ts';
import type { MCPClient } from '../mcp-client/library/mcp-client.ts';
import type { MCPServiceOptions } from '../mcp-client/library/mcp-service.ts';
import type { ProviderSettings } from '../models/language-models.ts';
import type { AgentComponent } from './agent-component.ts';
import type { EngineServerConfig } from './engine-servers.ts';
import type { ModelInput } from './resolve-model.ts';

/** Settings of the engine that each run can override. `settings` and `budget` are merged key by key. */
export interface RunSettings extends Pick<RunOptions, 'settings' | 'maxTicks' | 'stopWhen' | 'budget' | 'approve'> {
  /** Whether a failed or aborted run rejects with its error. By default, it is a result. */
  throwOnError?: boolean | undefined;
}

export interface EngineConfig extends RunSettings {
  /** `provider/model`, a model of the AI SDK, or one of your own. A component can set another one. */
  model?: ModelInput | undefined;
  system?: string | undefined;
  tools?: readonly AnyTool[] | undefined;
  /** Servers by name. They are connected when the first run starts. If one fails, its tools are missing and `onWarning` gets the reason. */
  mcpServers?: Readonly<Record<string, EngineServerConfig>> | undefined;
  /** Filters and transformers for the tools of all `mcpServers`. */
  mcp?: MCPServiceOptions | undefined;
  /** A shared client, which the caller closes. By default, the engine has its own. */
  mcpClient?: MCPClient | undefined;
  /** The agent of runs that name no other. */
  root?: AgentComponent | undefined;
  /** A class is instantiated for each run; an instance takes part in all runs, including concurrent ones. */
  components?: readonly AgentComponent[] | undefined;
  /** The agent in traces and in the store, for runs that name no other. */
  id?: string | undefined;
  name?: string | undefined;
  /** Providers by name, for `provider/model`. Well-known providers are also configured through the environment; a key from there is never sent to a `baseUrl` given here. */
  providers?: Readonly<Record<string, ProviderSettings>> | undefined;
  /** Stores the state of runs. If it fails, the run continues and `onWarning` gets the reason. */
  store?: RunStore | undefined;
  tracer?: Tracer | undefined;
  logger?: Logger | undefined;
  clock?: Clock | undefined;
  /** Called for problems that do not end a run. By default, emits a process warning. */
  onWarning?: ((message: string) => void) | undefined;
}

export interface ExecuteOptions extends RunSettings {
  /** A conversation to continue; concurrent runs cannot share one. */
  com?: ContextObjectModel | undefined;
  components?: readonly AgentComponent[] | undefined;
  runId?: string | undefined;
  agent?: { id: string; name: string } | undefined;
  signal?: AbortSignal | undefined;
  traceparent?: string | undefined;
}

const runKeys = [
  'settings',
  'maxTicks',
  'stopWhen',
  'budget',
  'approve',
  'throwOnError',
] satisfies (keyof RunSettings)[];
const configKeys: readonly string[] = [
  ...runKeys,
  'model',
  'system',
  'tools',
  'mcpServers',
  'mcp',
  'mcpClient',
  'root',
  'components',
  'id',
  'name',
  'providers',
  'store',
  'tracer',
  'logger',
  'clock',
  'onWarning',
] satisfies (keyof EngineConfig)[];
const optionKeys: readonly string[] = [
  ...runKeys,
  'com',
  'components',
  'runId',
  'agent',
  'signal',
  'traceparent',
] satisfies (keyof ExecuteOptions)[];

/** Settings of AIDK that do not exist here, and what to use instead. */
const insteadOf: Readonly<Record<string, string>> = {
  channels: 'Read the events of stream(), and send messages with its send().',
  lifecycleHooks: 'Use a component with onStart, onTickStart, onTickEnd, onComplete and onError.',
  hooks: 'Use a component with onStart, onTickStart, onTickEnd, onComplete and onError.',
  persistExecutionState: 'Pass a `store`, or store the `timeline` of the result.',
  loadExecutionState: 'Pass a stored timeline as the input: {timeline}.',
  toolExecution: 'Tools run in parallel. Set `timeoutMs` in the metadata of a tool.',
  renderers: 'Messages are sent as they are.',
  devTools: 'Pass a `tracer`, or read the events of stream().',
};

/** Throws INVALID_ARGUMENTS for settings that nobody would read. */
export function checkConfig(config: EngineConfig): void {
  checkKeys(config, configKeys, 'Engine');
}

/** Throws INVALID_ARGUMENTS for options that nobody would read. */
export function checkOptions(options: ExecuteOptions): void {
  checkKeys(options, optionKeys, 'Run');
}

function checkKeys(given: object, known: readonly string[], what: string): void {
  for (const [key, value] of Object.entries(given)) {
    if (known.includes(key) || value === undefined || value === false) continue;
    const near = nearest(key, known);
    const instead = Object.hasOwn(insteadOf, key) ? insteadOf[key] : near && `Did you mean "${near}"?`;
    const hint = instead ?? `Known settings: ${known.join(', ')}.`;
    throw new HubError('INVALID_ARGUMENTS', `${what} settings: "${key.slice(0, 80)}" is not supported. ${hint}`);
  }
}

/** Combines settings; those of the run take precedence. */
export function mergeSettings(config: RunSettings, run: RunSettings, input: ModelSettings): RunSettings {
  const overridden = runKeys.map((name) => [name, run[name] ?? config[name]]);
  return {
    ...Object.fromEntries(overridden),
    settings: [config.settings, input, run.settings].reduce<ModelSettings>(mergeModelSettings, {}),
    budget: { ...config.budget, ...defined(run.budget) },
  };
}

function mergeModelSettings(base: ModelSettings, more: ModelSettings | undefined): ModelSettings {
  const providers = [base.providerOptions, more?.providerOptions].flatMap((options) => Object.entries(options ?? {}));
  const providerOptions: ModelSettings['providerOptions'] = {};
  for (const [provider, options] of providers) {
    providerOptions[provider] = { ...providerOptions[provider], ...options };
  }
  return { ...base, ...defined(more), ...(providers.length > 0 && { providerOptions }) };
}

function defined(given: object | undefined): object {
  return Object.fromEntries(Object.entries(given ?? {}).filter(([, value]) => value !== undefined));
}
