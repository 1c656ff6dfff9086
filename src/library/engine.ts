import { HubError } from '../base/hub-error.ts';
import { newId } from '../base/ids.ts';
import { Slots } from '../base/slots.ts';
import { ContextObjectModel, type ExecutionMessage } from '../engine/context-object-model.ts';
import type { TimelineEntry } from '../engine/message.ts';
import type { Model } from '../engine/model.ts';
import type { RunEvent, RunResult } from '../engine/run-events.ts';
import type { RunOptions, RunParts } from '../engine/run-options.ts';
import { executeTicks, runTicks } from '../engine/run-ticks.ts';
import { MCPClient } from '../mcp-client/library/mcp-client.ts';
import { type AgentComponent, isComponent, toComponent } from './agent-component.ts';
import { checkConfig, checkOptions, type EngineConfig, type ExecuteOptions, mergeSettings } from './engine-config.ts';
import { type EngineInput, readEngineInput } from './engine-input.ts';
import { EngineServers } from './engine-servers.ts';
import { missingModel, resolveModel } from './resolve-model.ts';
import { tolerantStore } from './tolerant-store.ts';

export interface EngineResult extends RunResult {
  /** The whole conversation, including the input. It can be stored and passed in again. */
  timeline: TimelineEntry[];
  /** What the input and the components added with `com.addMetadata`. */
  metadata: Record<string, unknown>;
}

export type EngineEvent = Exclude<RunEvent, { type: 'run.finished' }> | { type: 'run.finished'; result: EngineResult };

/** The events of a run as they happen. If the reader stops, the run is aborted. */
export interface RunStream extends AsyncIterableIterator<EngineEvent> {
  readonly result: Promise<EngineResult>;
  /** Passes a message to the components of the run. Rejects with INVALID_ARGUMENTS if it has none, and with UNAVAILABLE if it has ended. */
  send(message: MessageToRun): Promise<void>;
}

/** A message to a run. The id and the time are added. */
export type MessageToRun = Pick<ExecutionMessage, 'type' | 'content'> & Partial<ExecutionMessage>;

/** Runs a model with tools: your own, and those of MCP servers. */
export class Engine {
  readonly #config: EngineConfig;
  readonly #client: MCPClient;
  readonly #servers: EngineServers;
  readonly #warn: (message: string) => void;
  readonly #closing = new AbortController();
  readonly #running = new Slots<Promise<unknown>>();
  #model: Promise<Model> | undefined;

  /** Throws INVALID_CONFIG for invalid server settings, and INVALID_ARGUMENTS for settings that do not exist. */
  constructor(config: EngineConfig) {
    checkConfig(config);
    this.#config = config;
    this.#warn = config.onWarning ?? ((message) => process.emitWarning(message, 'AgentZooWarning'));
    this.#client = config.mcpClient ?? new MCPClient({ logger: config.logger, clock: config.clock });
    this.#servers = new EngineServers(this.#client, {
      servers: config.mcpServers ?? {},
      service: config.mcp ?? {},
      warn: this.#warn,
      clock: config.clock,
    });
  }

  /**
   * Runs until the model has nothing more to do. A failed run is a result with the error, unless `throwOnError` is set. Rejects for errors
   * before the run starts: INVALID_ARGUMENTS, NOT_CONFIGURED (no key for the model), UNAVAILABLE (the engine is closed).
   */
  async execute(
    input: EngineInput,
    agent?: AgentComponent | ExecuteOptions,
    options?: ExecuteOptions,
  ): Promise<EngineResult> {
    refuseOther(this);
    return this.#track(async () => {
      const prepared = await this.#prepare(input, this.#toOptions(agent, options));
      return prepared.finish(await executeTicks(prepared.parts, prepared.settings));
    });
  }

  /** Like `execute`, but streams the events. Errors with which `execute` rejects reject the first event and the result. */
  stream(input: EngineInput, agent?: AgentComponent | ExecuteOptions, options?: ExecuteOptions): RunStream {
    refuseOther(this);
    const preparing = Promise.try(() => this.#prepare(input, this.#toOptions(agent, options)));
    const started = preparing.then((prepared) => ({ ...prepared, ...runTicks(prepared.parts, prepared.settings) }));
    const result = this.#track(async () => {
      const run = await started;
      return run.finish(await run.result);
    });
    let isOver = false;
    // Often nobody awaits the result: a reader of the events gets the error there.
    result
      .catch(() => {})
      .finally(() => {
        isOver = true;
      });
    return {
      result,
      next: async () => {
        const { events, complete } = await started;
        const step = await events.next();
        if (step.done) {
          await result;
          return step;
        }
        const event = step.value;
        if (event.type !== 'run.finished') return { value: event };
        return { value: { ...event, result: complete(event.result) } };
      },
      return: async () => {
        const { events } = await started;
        await events.return?.();
        return { value: undefined, done: true };
      },
      send: async (message) => {
        const { parts } = await started;
        if (isOver) throw new HubError('UNAVAILABLE', 'The run has ended, so it takes no more messages.');
        sendMessage(parts, message);
      },
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

  /** Another name of `close`. */
  destroy(): Promise<void> {
    return this.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** An agent that is passed in takes the place of `root`. */
  #toOptions(given: AgentComponent | ExecuteOptions | undefined, more: ExecuteOptions = {}): ExecuteOptions {
    const isAgent = given !== undefined && isComponent(given);
    const options = given === undefined || isAgent ? more : given;
    checkOptions(options);
    const agent = isAgent ? given : this.#config.root;
    return agent ? { ...options, components: [...(options.components ?? []), agent] } : options;
  }

  /** Makes `close` wait for the work. */
  #track<T>(work: () => Promise<T>): Promise<T> {
    const running = work();
    const slot = this.#running.add(running);
    const end = () => this.#running.remove(slot);
    running.then(end, end);
    return running;
  }

  async #prepare(input: EngineInput, options: ExecuteOptions): Promise<PreparedRun> {
    if (this.#closing.signal.aborted) throw new HubError('UNAVAILABLE', 'This Engine is closed. Create a new one.');
    const { system, tools = [], components = [], store, tracer, logger, clock, id, name } = this.#config;
    const { com = new ContextObjectModel(), components: ofRun = [], signal: outer, runId, traceparent } = options;
    const signal = outer ? AbortSignal.any([this.#closing.signal, outer]) : this.#closing.signal;
    const taking = await Promise.all([...components, ...ofRun].map(toComponent));
    const model = await this.#resolveModel(taking.length > 0);
    if (system !== undefined && com.system === '') com.addMessage({ role: 'system', content: system });
    for (const tool of tools) com.addTool(tool);
    const { conversation, settings } = readEngineInput(input, { com, hasComponents: taking.length > 0 });
    await this.#servers.addTools(com, signal);
    const { throwOnError, ...merged } = mergeSettings(this.#config, options, settings);
    const named = id ?? name;
    const agent = options.agent ?? (named === undefined ? undefined : { id: named, name: name ?? named });
    const complete = (result: RunResult): EngineResult => ({
      ...result,
      timeline: com.getTimeline(),
      metadata: com.metadata,
    });
    return {
      parts: {
        model,
        com,
        components: taking,
        resolveModel: (wanted) => this.#load(wanted),
        store: store && tolerantStore(store, this.#warn),
        tracer,
        logger,
        clock,
      },
      settings: { ...merged, agent, runId, traceparent, input: conversation, signal },
      complete,
      finish: (result) => (throwOnError ? unlessFailed(complete(result)) : complete(result)),
    };
  }

  #resolveModel(hasComponents: boolean): Promise<Model> {
    const { model } = this.#config;
    if (model === undefined && hasComponents) return Promise.resolve(missingModel);
    this.#model ??= this.#load(model).catch((error: unknown) => {
      // The next run may succeed.
      this.#model = undefined;
      throw error;
    });
    return this.#model;
  }

  #load(model: unknown): Promise<Model> {
    const { providers = {}, clock } = this.#config;
    return resolveModel(model, { providers, clock });
  }
}

/** Creates an engine, like `new Engine(config)`. */
export function createEngine(config: EngineConfig = {}): Engine {
  return new Engine(config);
}

/** AIDK's programs may write `engine.execute.call(input, agent)`, which passes the input as `this`. */
function refuseOther(engine: unknown): void {
  if (engine instanceof Engine) return;
  throw new HubError(
    'INVALID_ARGUMENTS',
    'Call engine.execute(input, agent) and engine.stream(input, agent) directly, without .call().',
  );
}

interface PreparedRun {
  parts: RunParts;
  settings: RunOptions;
  complete(result: RunResult): EngineResult;
  /** Throws the error of a failed run if the caller wants that. */
  finish(result: RunResult): EngineResult;
}

function unlessFailed(result: EngineResult): EngineResult {
  const { status, reason, error } = result;
  if (status === 'aborted') throw new HubError('CANCELLED', reason, { details: { result } });
  if (error) throw new HubError(error.code, error.message, { details: { result } });
  return result;
}

function sendMessage({ com, components = [] }: RunParts, message: MessageToRun): void {
  if (components.length === 0) {
    throw new HubError('INVALID_ARGUMENTS', 'Nobody would get the message: the run has no component with onMessage.');
  }
  com.queueMessage({ id: newId('message'), timestamp: Date.now(), ...message });
}
