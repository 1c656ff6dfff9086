import { EventChannel } from '../base/events.ts';
import { HubError } from '../base/hub-error.ts';
import type { SourceProblem, SourceSnapshot } from '../base/source.ts';
import type { KnowledgeReader } from '../knowledge/knowledge.ts';
import type { Agent } from './agent.ts';
import { type AgentPrompt, resolveStatically } from './agent-prompt.ts';
import type { AgentEntry, AgentSource, ArgumentValues, ResolveOptions } from './agent-source.ts';
import { argumentsOf, textArguments } from './check-arguments.ts';
import {
  addContext,
  type ContextAgent,
  type ContextReader,
  type DeliveredContext,
  deliverContext,
} from './deliver-context.ts';
import { primePrompt } from './prime-prompt.ts';
import { hasCode, resolveByCode } from './resolve-context.ts';

export interface AgentsChange {
  /** Added or changed. */
  changed: readonly string[];
  removed: readonly string[];
}

interface RegistryOptions {
  knowledge?: KnowledgeReader;
  context?: ContextReader;
}

/**
 * All agents of the hub by id, from all sources. `list` and `find` read from memory; `refresh` asks the sources for changes, which
 * costs almost nothing if there are none. If two agents have the same id, the first wins, and a problem names both definitions.
 */
export class AgentRegistry {
  readonly changes = new EventChannel<AgentsChange>();
  readonly #sources: AgentSource[];
  readonly #knowledge: KnowledgeReader | undefined;
  readonly #context: ContextReader | undefined;
  readonly #registered: AgentEntry[] = [];
  readonly #unwatch: (() => void)[] = [];
  #entries = new Map<string, AgentEntry>();
  #problems: SourceProblem[] = [];
  #merged: readonly unknown[] = [];
  #revision = 0;
  #looks = 0;
  #mergedLook = 0;

  /** The first source wins when two define the same id. */
  constructor(sources: readonly AgentSource[] = [], options: RegistryOptions = {}) {
    this.#sources = [...sources];
    this.#knowledge = options.knowledge;
    this.#context = options.context;
    for (const source of sources) {
      const stop = source.watch?.(() => void this.refresh().catch(() => {}));
      if (stop) this.#unwatch.push(stop);
    }
  }

  /** Throws CONFLICT, naming both definitions, if the id is taken. */
  register(entry: AgentEntry): void {
    const taken = this.#entries.get(entry.agent.id);
    if (taken) throw new HubError('CONFLICT', duplicateIdMessage(entry.agent.id, taken.definedIn, entry.definedIn));
    this.#registered.push(entry);
    this.#entries.set(entry.agent.id, entry);
    this.#revision += 1;
    this.changes.emit({ changed: [entry.agent.id], removed: [] });
  }

  async refresh(): Promise<void> {
    this.#looks += 1;
    const look = this.#looks;
    const snapshots: SourceSnapshot<AgentEntry>[] = [];
    let isNew = false;
    for (const [index, source] of this.#sources.entries()) {
      const pending = source.snapshot();
      const snapshot = pending instanceof Promise ? await pending : pending;
      snapshots.push(snapshot);
      if (snapshot !== this.#merged[index]) isNew = true;
    }
    // A refresh that started later has already finished, with newer snapshots.
    if (look < this.#mergedLook) return;
    this.#mergedLook = look;
    if (isNew) this.#merge(snapshots);
  }

  list(): Agent[] {
    return this.entries().map((entry) => entry.agent);
  }

  entries(): AgentEntry[] {
    return [...this.#entries.values()];
  }

  find(id: string): Agent | undefined {
    return this.#entries.get(id)?.agent;
  }

  findEntry(id: string): AgentEntry | undefined {
    return this.#entries.get(id);
  }

  /** Refreshes, and returns the agent. Throws AGENT_NOT_FOUND. */
  async get(id: string): Promise<AgentEntry> {
    await this.refresh();
    const entry = this.#entries.get(id);
    if (entry) return entry;
    const problem = this.#problems.find(({ agentId }) => agentId === id);
    const why = problem ? `could not be read: ${problem.message}` : `not found. ${this.#available()}`;
    throw new HubError('AGENT_NOT_FOUND', `Agent with ID '${id.slice(0, 80)}' ${why}`);
  }

  /** Throws AGENT_NOT_FOUND, INVALID_ARGUMENTS for a missing required argument, AGENT_ERROR or TIMEOUT from a script. */
  async resolve(id: string, args: ArgumentValues, options: ResolveOptions): Promise<AgentPrompt> {
    return this.resolveEntry(await this.get(id), args, options);
  }

  /** Like `resolve`, for an agent that was just looked up. */
  async resolveEntry(entry: AgentEntry, args: ArgumentValues, options: ResolveOptions): Promise<AgentPrompt> {
    for (const argument of entry.agent.arguments) {
      if (argument.required && !Object.hasOwn(args, argument.name)) {
        throw new HubError(
          'INVALID_ARGUMENTS',
          `Agent "${entry.agent.id}" needs the argument "${argument.name}"${argument.description ? `: ${argument.description}` : '.'}`,
          {
            details: { argument: argument.name },
          },
        );
      }
    }
    const knowledge = options.knowledge ?? this.#knowledge;
    try {
      const prompt = hasCode(entry)
        ? await resolveByCode(entry, args, { ...options, ...(knowledge && { knowledge }) })
        : resolveStatically(entry.agent, textArguments(args), options);
      const { signal } = options;
      const withContext = await addContext(entry.agent, prompt, { reader: this.#context, signal });
      return await primePrompt(entry.agent, withContext, { args: argumentsOf(entry.agent, args), knowledge, signal });
    } catch (error) {
      if (error instanceof HubError) throw error;
      throw new HubError('AGENT_ERROR', `Agent "${entry.agent.id}" failed to build its prompt.`, { cause: error });
    }
  }

  /** Returns what becomes of an agent's context references. Undefined if it has none, or the registry has no reader. */
  async context(agent: ContextAgent, signal?: AbortSignal): Promise<DeliveredContext | undefined> {
    if (agent.contextRefs.length === 0 || !this.#context) return undefined;
    return deliverContext(agent, { reader: this.#context, signal: signal ?? new AbortController().signal });
  }

  get size(): number {
    return this.#entries.size;
  }

  get revision(): number {
    return this.#revision;
  }

  problems(): readonly SourceProblem[] {
    return this.#problems;
  }

  async close(): Promise<void> {
    for (const stop of this.#unwatch) stop();
    await Promise.all(this.#sources.map((source) => source.close?.()));
  }

  #merge(snapshots: SourceSnapshot<AgentEntry>[]): void {
    const entries = new Map<string, AgentEntry>();
    const problems = snapshots.flatMap((snapshot) => [...snapshot.problems]);
    for (const entry of [...this.#registered, ...snapshots.flatMap((snapshot) => [...snapshot.entries])]) {
      const taken = entries.get(entry.agent.id);
      if (taken) {
        problems.push({
          agentId: entry.agent.id,
          place: entry.definedIn,
          message: duplicateIdMessage(entry.agent.id, taken.definedIn, entry.definedIn),
        });
      } else {
        entries.set(entry.agent.id, entry);
      }
    }
    const before = this.#entries;
    this.#entries = entries;
    this.#problems = problems;
    this.#merged = snapshots;
    this.#revision += 1;
    const changed = [...entries].filter(([id, entry]) => before.get(id) !== entry).map(([id]) => id);
    const removed = [...before.keys()].filter((id) => !entries.has(id));
    this.changes.emit({ changed, removed });
  }

  #available(): string {
    const ids = [...this.#entries.keys()];
    if (ids.length === 0) return 'There are no agents yet.';
    return `Available: ${ids.slice(0, 20).join(', ')}${ids.length > 20 ? `, and ${ids.length - 20} more` : ''}.`;
  }
}

function duplicateIdMessage(id: string, first: string, second: string): string {
  return `Two agents have the id "${id}": one from ${first}, one from ${second}. The first is used; rename one of them.`;
}
