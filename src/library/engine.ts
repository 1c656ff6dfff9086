import type { LanguageModelV3, LanguageModelV4 } from '@ai-sdk/provider';
import type { Clock } from '../base/clock.ts';
import { HubError } from '../base/hub-error.ts';
import type { Logger } from '../base/logger.ts';
import { Slots } from '../base/slots.ts';
import type { Tracer } from '../base/tracer.ts';
import { Component } from '../engine/component.ts';
import { ContextObjectModel } from '../engine/context-object-model.ts';
import type { ExecutableTool } from '../engine/executable-tool.ts';
import type { Model } from '../engine/model.ts';
import type { RunEvent, RunResult } from '../engine/run-events.ts';
import type { RunOptions, RunParts } from '../engine/run-options.ts';
import type { RunStore } from '../engine/run-store.ts';
import { executeTicks, runTicks } from '../engine/run-ticks.ts';
import type { RunInput } from '../engine/to-messages.ts';
import { MCPClient } from '../mcp-client/library/mcp-client.ts';
import type { MCPServiceOptions } from '../mcp-client/library/mcp-service.ts';
import type { ProviderSettings } from '../models/language-models.ts';
import { type EngineServerConfig, EngineServers } from './engine-servers.ts';

/** Settings of the engine that each run can override. */
type RunSettings = Pick<RunOptions, 'settings' | 'maxTicks' | 'stopWhen' | 'budget' | 'approve'>;

export interface EngineConfig extends RunSettings {
  /** `provider/model`, a model of the AI SDK, or one of your own. */
  model: ModelInput;
  system?: string | undefined;
  tools?: readonly ExecutableTool[] | undefined;
  /** Servers by name. They are connected when the first run starts. If one fails, its tools are missing and `onWarning` gets the reason. */
  mcpServers?: Readonly<Record<string, EngineServerConfig>> | undefined;
  /** Filters and transformers for the tools of all `mcpServers`. */
  mcp?: MCPServiceOptions | undefined;
  /** A shared client, which the caller closes. By default, the engine has its own. */
  mcpClient?: MCPClient | undefined;
  /** A class is instantiated for each run; an instance takes part in all runs, including concurrent ones. */
  components?: readonly AgentComponent[] | undefined;
  /** Providers by name, for `provider/model`. Well-known providers are also configured through the environment; a key from there is never sent to a `baseUrl` given here. */
  providers?: Readonly<Record<string, ProviderSettings>> | undefined;
  store?: RunStore | undefined;
  tracer?: Tracer | undefined;
  logger?: Logger | undefined;
  clock?: Clock | undefined;
  /** Called for problems that do not end a run. By default, emits a process warning. */
  onWarning?: ((message: string) => void) | undefined;
}

export type AgentComponent = Component | (new () => Component);

export interface ExecuteOptions extends RunSettings {
  /** A conversation to continue; concurrent runs cannot share one. */
  com?: ContextObjectModel | undefined;
  components?: readonly AgentComponent[] | undefined;
  runId?: string | undefined;
  agent?: { id: string; name: string } | undefined;
  signal?: AbortSignal | undefined;
  traceparent?: string | undefined;
}

/** The events of a run as they happen. If the reader stops, the run is aborted. */
export interface RunStream extends AsyncIterableIterator<RunEvent> {
  readonly result: Promise<RunResult>;
}

/** Runs a model with tools: your own, and those of MCP servers. */
export class Engine {
  readonly #config: EngineConfig;
  readonly #client: MCPClient;
  readonly #servers: EngineServers;
  readonly #closing = new AbortController();
  readonly #running = new Slots<Promise<unknown>>();
  #model: Promise<Model> | undefined;

  /** Throws INVALID_CONFIG for invalid server settings. */
  constructor(config: EngineConfig) {
    this.#config = config;
    this.#client = config.mcpClient ?? new MCPClient({ logger: config.logger, clock: config.clock });
    this.#servers = new EngineServers(this.#client, {
      servers: config.mcpServers ?? {},
      service: config.mcp ?? {},
      warn: config.onWarning ?? ((message) => process.emitWarning(message, 'AgentZooWarning')),
      clock: config.clock,
    });
  }

  /**
   * Runs until the model has nothing more to do. A failed run is a result with the error. Rejects for errors before the run starts:
   * INVALID_ARGUMENTS, NOT_CONFIGURED (no key for the model), UNAVAILABLE (the engine is closed).
   */
  async execute(
    input: RunInput,
    agent?: AgentComponent | ExecuteOptions,
    options?: ExecuteOptions,
  ): Promise<RunResult> {
    return this.#track(async () => {
      const { parts, settings } = await this.#prepare(input, toOptions(agent, options));
      return executeTicks(parts, settings);
    });
  }

  /** Like `execute`, but streams the events. Errors with which `execute` rejects reject the first event and the result. */
  stream(input: RunInput, agent?: AgentComponent | ExecuteOptions, options?: ExecuteOptions): RunStream {
    const started = this.#prepare(input, toOptions(agent, options)).then(({ parts, settings }) =>
      runTicks(parts, settings),
    );
    const result = this.#track(async () => (await started).result);
    // Often nobody awaits the result: a reader of the events gets the error there.
    result.catch(() => {});
    return {
      result,
      next: async () => (await started).events.next(),
      return: async () => (await started).events.return?.() ?? { value: undefined, done: true },
      [Symbol.asyncIterator]() {
        return this;
      },
    };
  }

  /** Aborts all runs, closes the connections and ends the processes of its servers. */
  async close(): Promise<void> {
    this.#closing.abort(new HubError('CANCELLED', 'The engine was closed.'));
    await Promise.allSettled(this.#running);
    if (!this.#config.mcpClient) await this.#client.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Makes `close` wait for the work. */
  #track<T>(work: () => Promise<T>): Promise<T> {
    const running = work();
    const slot = this.#running.add(running);
    const end = () => this.#running.remove(slot);
    running.then(end, end);
    return running;
  }

  async #prepare(input: RunInput, options: ExecuteOptions): Promise<{ parts: RunParts; settings: RunOptions }> {
    if (this.#closing.signal.aborted) throw new HubError('UNAVAILABLE', 'This Engine is closed. Create a new one.');
    const { system, tools = [], components = [], store, tracer, logger, clock } = this.#config;
    const { com = new ContextObjectModel(), components: runComponents = [], signal: outer, ...runSettings } = options;
    const signal = outer ? AbortSignal.any([this.#closing.signal, outer]) : this.#closing.signal;
    const model = await this.#resolveModel();
    if (system !== undefined && com.system === '') com.addMessage({ role: 'system', content: system });
    for (const tool of tools) com.addTool(tool);
    await this.#servers.addTools(com, signal);
    return {
      parts: {
        model,
        com,
        components: [...components, ...runComponents].map(toComponent),
        store,
        tracer,
        logger,
        clock,
      },
      settings: { ...mergeSettings(this.#config, runSettings), input, signal },
    };
  }

  #resolveModel(): Promise<Model> {
    const { model, providers = {}, clock } = this.#config;
    this.#model ??= resolveModel(model, { providers, clock }).catch((error: unknown) => {
      // The next run may succeed.
      this.#model = undefined;
      throw error;
    });
    return this.#model;
  }
}

function toOptions(agent: AgentComponent | ExecuteOptions | undefined, options: ExecuteOptions = {}): ExecuteOptions {
  if (agent === undefined) return options;
  if (!isComponent(agent)) return agent;
  return { ...options, components: [...(options.components ?? []), agent] };
}

function isComponent(value: AgentComponent | ExecuteOptions): value is AgentComponent {
  return typeof value === 'function' || value instanceof Component;
}

function toComponent(component: AgentComponent): Component {
  return typeof component === 'function' ? new component() : component;
}

const settingNames = ['settings', 'maxTicks', 'stopWhen', 'budget', 'approve'] as const;

/** Settings of the run take precedence over those of the engine. */
function mergeSettings(
  config: RunSettings,
  runSettings: Omit<ExecuteOptions, 'com' | 'components' | 'signal'>,
): RunOptions {
  const settings = settingNames.map((name) => [name, runSettings[name] ?? config[name]]);
  return { ...runSettings, ...Object.fromEntries(settings) };
}

/** A model from any provider package of the AI SDK. Declared by shape, so that users of the library do not need the SDK's types. */
interface AiSdkModel {
  readonly specificationVersion: 'v3' | 'v4';
  readonly provider: string;
  readonly modelId: string;
  doStream(options: never): PromiseLike<unknown>;
}

/** `provider/model`, or a model object. */
type ModelInput = string | AiSdkModel | Model;

/** Throws INVALID_ARGUMENTS, and NOT_CONFIGURED if the provider has no key. */
async function resolveModel(
  model: ModelInput,
  options: { providers: Readonly<Record<string, ProviderSettings>>; clock: Clock | undefined },
): Promise<Model> {
  if (typeof model === 'string') {
    const { createLanguageModels } = await import('../models/create-language-models.ts');
    return createLanguageModels({ ...options, lookUp: (name) => process.env[name] }).resolve(model);
  }
  const candidate: unknown = model;
  if (typeof candidate !== 'object' || candidate === null) {
    throw new HubError(
      'INVALID_ARGUMENTS',
      'The engine needs a model: a name like "openai/gpt-5", or a model of the AI SDK.',
    );
  }
  if ('stream' in model) return model;
  const { toModel } = await import('../models/ai-sdk-model.ts');
  // The object claims to be an AI SDK model; `toModel` checks it.
  return toModel(model as LanguageModelV4 | LanguageModelV3, { clock: options.clock });
}
