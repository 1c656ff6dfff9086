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

/** What every run of an engine may be told anew. */
type RunSettings = Pick<RunOptions, 'settings' | 'maxTicks' | 'stopWhen' | 'budget' | 'approve'>;

export interface EngineConfig extends RunSettings {
  /** `provider/model`, a model of the AI SDK, or one of your own. */
  model: ModelInput;
  system?: string | undefined;
  tools?: readonly ExecutableTool[] | undefined;
  /** By name. They are connected when the first run starts; one that fails is missing, and `onWarning` hears why. */
  mcpServers?: Readonly<Record<string, EngineServerConfig>> | undefined;
  /** Filters and transformers for the tools of all `mcpServers`. */
  mcp?: MCPServiceOptions | undefined;
  /** Shared with others, who close it. Without it the engine has its own. */
  mcpClient?: MCPClient | undefined;
  /** A class has a new instance for each run; an instance follows all runs, also those at the same time. */
  components?: readonly AgentComponent[] | undefined;
  /** By name, for `provider/model`; the environment has those of the well-known ones. */
  providers?: Readonly<Record<string, ProviderSettings>> | undefined;
  store?: RunStore | undefined;
  tracer?: Tracer | undefined;
  logger?: Logger | undefined;
  clock?: Clock | undefined;
  /** What goes wrong without ending a run. Without it: a warning of the process. */
  onWarning?: ((message: string) => void) | undefined;
}

export type AgentComponent = Component | (new () => Component);

export interface ExecuteOptions extends RunSettings {
  /** A conversation to go on with; two runs at a time cannot share one. */
  com?: ContextObjectModel | undefined;
  components?: readonly AgentComponent[] | undefined;
  runId?: string | undefined;
  agent?: { id: string; name: string } | undefined;
  signal?: AbortSignal | undefined;
  traceparent?: string | undefined;
}

/** What happens in a run, as it happens. Whoever stops reading aborts it. */
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

  /** Throws INVALID_CONFIG for settings of servers that cannot work. */
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
   * Runs until the model has nothing more to do. A run that fails is a result that says so; what is wrong before it starts rejects:
   * INVALID_ARGUMENTS, NOT_CONFIGURED (no key for the model), UNAVAILABLE (the engine is closed).
   */
  async execute(
    input: RunInput,
    agent?: AgentComponent | ExecuteOptions,
    options?: ExecuteOptions,
  ): Promise<RunResult> {
    return this.#while(async () => {
      const { parts, settings } = await this.#prepare(input, toOptions(agent, options));
      return executeTicks(parts, settings);
    });
  }

  /** The same, told as it happens. What `execute` rejects with, its first event and its result reject with. */
  stream(input: RunInput, agent?: AgentComponent | ExecuteOptions, options?: ExecuteOptions): RunStream {
    const started = this.#prepare(input, toOptions(agent, options)).then(({ parts, settings }) =>
      runTicks(parts, settings),
    );
    const result = this.#while(async () => (await started).result);
    // It may be that nobody waits for it: whoever reads the events hears of a failure there.
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

  /** Aborts what runs, and ends the connections and processes of its servers. */
  async close(): Promise<void> {
    this.#closing.abort(new HubError('CANCELLED', 'The engine was closed.'));
    await Promise.allSettled(this.#running);
    if (!this.#config.mcpClient) await this.#client.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** `close` waits for the work. */
  #while<T>(work: () => Promise<T>): Promise<T> {
    const running = work();
    const place = this.#running.add(running);
    const end = () => this.#running.remove(place);
    running.then(end, end);
    return running;
  }

  async #prepare(input: RunInput, options: ExecuteOptions): Promise<{ parts: RunParts; settings: RunOptions }> {
    if (this.#closing.signal.aborted) throw new HubError('UNAVAILABLE', 'This Engine is closed. Make a new one.');
    const { system, tools = [], components = [], store, tracer, logger, clock } = this.#config;
    const { com = new ContextObjectModel(), components: own = [], signal: outer, ...given } = options;
    const signal = outer ? AbortSignal.any([this.#closing.signal, outer]) : this.#closing.signal;
    const model = await this.#resolveModel();
    if (system !== undefined && com.system === '') com.addMessage({ role: 'system', content: system });
    for (const tool of tools) com.addTool(tool);
    await this.#servers.addTools(com, signal);
    return {
      parts: { model, com, components: [...components, ...own].map(toComponent), store, tracer, logger, clock },
      settings: { ...mergeSettings(this.#config, given), input, signal },
    };
  }

  #resolveModel(): Promise<Model> {
    const { model, providers = {}, clock } = this.#config;
    this.#model ??= resolveModel(model, { providers, clock }).catch((error: unknown) => {
      // The next run may find what was missing.
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

/** Those of the run, and those of the engine where the run says nothing. */
function mergeSettings(config: RunSettings, given: Omit<ExecuteOptions, 'com' | 'components' | 'signal'>): RunOptions {
  const settings = settingNames.map((name) => [name, given[name] ?? config[name]]);
  return { ...given, ...Object.fromEntries(settings) };
}

/** A model of the AI SDK, from any of its provider packages. Told by its form: whoever uses the library need not have the SDK's types. */
interface AiSdkModel {
  readonly specificationVersion: 'v3' | 'v4';
  readonly provider: string;
  readonly modelId: string;
  doStream(options: never): PromiseLike<unknown>;
}

/** `provider/model`, or a model itself. */
type ModelInput = string | AiSdkModel | Model;

/** Throws INVALID_ARGUMENTS, and NOT_CONFIGURED where a provider has no key. */
async function resolveModel(
  model: ModelInput,
  options: { providers: Readonly<Record<string, ProviderSettings>>; clock: Clock | undefined },
): Promise<Model> {
  if (typeof model === 'string') {
    const { createLanguageModels } = await import('../models/create-language-models.ts');
    return createLanguageModels({ ...options, lookUp: (name) => process.env[name] }).resolve(model);
  }
  const given: unknown = model;
  if (typeof given !== 'object' || given === null) {
    throw new HubError(
      'INVALID_ARGUMENTS',
      'The engine needs a model: a name like "openai/gpt-5", or a model of the AI SDK.',
    );
  }
  if ('stream' in model) return model;
  const { toModel } = await import('../models/ai-sdk-model.ts');
  // What says of itself that it is one; its methods are called as the SDK calls them.
  return toModel(model as LanguageModelV4 | LanguageModelV3, { clock: options.clock });
}
