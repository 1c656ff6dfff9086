import { EventChannel } from '../base/events.ts';
import { HubError } from '../base/hub-error.ts';
import type { Tool } from './tool.ts';

/** Why a tool that exists somewhere is not to be called now; undefined for a name it does not know. */
type ExplainAbsent = (name: string) => HubError | undefined;

/** Every tool of the hub by name. `revision` grows with each change, so lists can be cached. */
export class ToolRegistry {
  readonly #tools = new Map<string, Tool>();
  readonly changes = new EventChannel<{ revision: number }>();
  readonly #explainers = new Set<ExplainAbsent>();
  #revision = 0;

  /** Throws CONFLICT when the name is taken: a tool is never overwritten silently. */
  register(tool: Tool): () => void {
    this.#refuseTaken(tool);
    return this.#put(tool);
  }

  /** All of them with one change, or none. Throws CONFLICT. */
  registerAll(tools: readonly Tool[]): void {
    for (const tool of tools) this.#refuseTaken(tool);
    for (const tool of tools) this.#tools.set(tool.name, tool);
    this.#changed();
  }

  /** A new version in the place of one that is there, with no moment in which there is none. Throws CONFLICT when it is not there. */
  replace(before: Tool, after: Tool): () => void {
    if (before.name !== after.name || this.#tools.get(before.name) !== before) {
      throw new HubError('CONFLICT', `The tool "${before.name}" from ${before.origin} is not there to be replaced.`);
    }
    return this.#put(after);
  }

  /**
   * Takes tools out and puts others in, with one change; a new version stays in the place of the old one. Those whose name
   * is taken by others stay out, and are the answer.
   */
  exchange(before: readonly Tool[], after: readonly Tool[]): Tool[] {
    const leaving = new Map(
      before.filter((tool) => this.#tools.get(tool.name) === tool).map((tool) => [tool.name, tool]),
    );
    const refused = after.filter((tool) => {
      if (this.#tools.has(tool.name) && !leaving.delete(tool.name)) return true;
      this.#tools.set(tool.name, tool);
      return false;
    });
    for (const name of leaving.keys()) this.#tools.delete(name);
    if (leaving.size > 0 || refused.length < after.length) this.#changed();
    return refused;
  }

  list(): Tool[] {
    return [...this.#tools.values()];
  }

  find(name: string): Tool | undefined {
    return this.#tools.get(name);
  }

  /** For whoever knows of tools that are not in the registry, and why. */
  explainAbsent(explain: ExplainAbsent): () => void {
    this.#explainers.add(explain);
    return () => this.#explainers.delete(explain);
  }

  /** What is the case with a name that nobody has. Only for callers who may use a tool of this name. */
  whyAbsent(name: string): HubError | undefined {
    for (const explain of this.#explainers) {
      const why = explain(name);
      if (why) return why;
    }
    return undefined;
  }

  get size(): number {
    return this.#tools.size;
  }

  get revision(): number {
    return this.#revision;
  }

  #refuseTaken(tool: Tool): void {
    const taken = this.#tools.get(tool.name);
    if (!taken) return;
    throw new HubError(
      'CONFLICT',
      `Two tools are called "${tool.name}": one from ${taken.origin}, one from ${tool.origin}. Rename one of them.`,
    );
  }

  #put(tool: Tool): () => void {
    this.#tools.set(tool.name, tool);
    this.#changed();
    return () => {
      if (this.#tools.get(tool.name) === tool && this.#tools.delete(tool.name)) this.#changed();
    };
  }

  #changed(): void {
    this.#revision += 1;
    this.changes.emit({ revision: this.#revision });
  }
}
