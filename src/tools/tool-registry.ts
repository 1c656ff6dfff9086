import { EventChannel } from '../base/events.ts';
import { HubError } from '../base/hub-error.ts';
import { type Logger, silentLogger } from '../base/logger.ts';
import type { Source, SourceProblem, SourceSnapshot } from '../base/source.ts';
import type { Tool } from './tool.ts';

interface Followed {
  snapshot: SourceSnapshot<Tool>;
  /** The tools that the source wants to register, by name. */
  wanted: ReadonlyMap<string, Tool>;
  looks: number;
  /** The number of the look that `snapshot` came from. */
  latestLook: number;
  stop?: (() => void) | undefined;
}

const nothing: SourceSnapshot<Tool> = { entries: [], problems: [] };

/**
 * All tools of the hub by name, from all sources. A source keeps a name until it gives the name up; then the next source that wants
 * it gets it. If a source lists a name twice, the first tool wins. `revision` grows with each change, so lists can be cached.
 */
export class ToolRegistry {
  readonly changes = new EventChannel<{ revision: number }>();
  /** Emits when the result of `problems` has changed. */
  readonly problemChanges = new EventChannel<void>();
  readonly #logger: Logger;
  readonly #sources = new Map<ToolSource, Followed>();
  readonly #held = new Map<string, { tool: Tool; source: ToolSource }>();
  /** The number of tools in all sources, including those that are left out because their name is taken. */
  #wanted = 0;
  #revision = 0;
  #problems = '[]';

  constructor({ logger = silentLogger }: { logger?: Logger } = {}) {
    this.#logger = logger;
  }

  /** Follows a source until it is removed. If the source's snapshot is synchronous, its tools are registered when this returns. */
  add(source: ToolSource): Promise<void> | void {
    const followed: Followed = { snapshot: nothing, wanted: new Map(), looks: 0, latestLook: 0 };
    this.#sources.set(source, followed);
    followed.stop = source.watch?.(() => void this.#lookAgain(source));
    return this.#look(source);
  }

  /** Removes a source and its tools. */
  remove(source: ToolSource): void {
    const followed = this.#sources.get(source);
    if (!followed) return;
    followed.stop?.();
    this.#sources.delete(source);
    this.#exchange(source, followed, nothing);
  }

  /** Adds tools that never change: all of them, or none if it throws CONFLICT for a taken name. Returns a function that removes them. */
  register(...tools: readonly Tool[]): () => void {
    const names = new Map<string, Tool>();
    for (const tool of tools) {
      const holder = this.find(tool.name) ?? names.get(tool.name);
      if (holder) throw new HubError('CONFLICT', twoTools({ tool, holder }));
      names.set(tool.name, tool);
    }
    const source: ToolSource = { snapshot: () => ({ entries: tools, problems: [] }) };
    void this.add(source);
    return () => this.remove(source);
  }

  list(): Tool[] {
    return [...this.#held.values()].map(({ tool }) => tool);
  }

  find(name: string): Tool | undefined {
    return this.#held.get(name)?.tool;
  }

  /** Returns why an unregistered name cannot be called. Only for callers who may use a tool of this name. */
  whyAbsent(name: string): HubError | undefined {
    for (const source of this.#sources.keys()) {
      const why = source.whyAbsent?.(name);
      if (why) return why;
    }
    return undefined;
  }

  /** Returns the tools of a source that are left out, each with the tool that has its name. */
  taken(source: ToolSource): TakenName[] {
    const { snapshot = nothing } = this.#sources.get(source) ?? {};
    return snapshot.entries.flatMap((tool) => {
      const holder = this.find(tool.name);
      return holder && holder !== tool ? [{ tool, holder }] : [];
    });
  }

  problems(): SourceProblem[] {
    return [...this.#sources].flatMap(([source, { snapshot }]) => {
      const taken = this.taken(source);
      return [...snapshot.problems, ...(source.describeTaken?.(taken) ?? taken.map(toProblem))];
    });
  }

  get size(): number {
    return this.#held.size;
  }

  get revision(): number {
    return this.#revision;
  }

  async close(): Promise<void> {
    for (const { stop } of this.#sources.values()) stop?.();
    await Promise.all([...this.#sources.keys()].map((source) => source.close?.()));
  }

  async #lookAgain(source: ToolSource): Promise<void> {
    try {
      await this.#look(source);
    } catch (error) {
      this.#logger.warn({ err: error }, 'the tools of a source could not be read; the previous ones stay');
    }
  }

  #look(source: ToolSource): Promise<void> | void {
    const followed = this.#sources.get(source);
    if (!followed) return;
    followed.looks += 1;
    const look = followed.looks;
    const take = (snapshot: SourceSnapshot<Tool>) => {
      // A later look that finished first is newer.
      if (look < followed.latestLook || this.#sources.get(source) !== followed) return;
      followed.latestLook = look;
      if (snapshot === followed.snapshot) return;
      this.#exchange(source, followed, snapshot);
    };
    const found = source.snapshot();
    return found instanceof Promise ? found.then(take) : take(found);
  }

  /** Applies a source's new snapshot with at most one change. A new version of a tool keeps its position. */
  #exchange(source: ToolSource, followed: Followed, snapshot: SourceSnapshot<Tool>): void {
    const wanted = byName(snapshot.entries);
    const freed = [...followed.wanted.keys()].filter(
      (name) => !wanted.has(name) && this.#held.get(name)?.source === source,
    );
    this.#wanted += snapshot.entries.length - followed.snapshot.entries.length;
    followed.snapshot = snapshot;
    followed.wanted = wanted;
    for (const name of freed) this.#held.delete(name);
    let isChanged = freed.length > 0;
    for (const [name, tool] of wanted) {
      const held = this.#held.get(name);
      if (held && (held.source !== source || held.tool === tool)) continue;
      this.#held.set(name, { tool, source });
      isChanged = true;
    }
    for (const name of freed) this.#passOn(name);
    if (isChanged) {
      this.#revision += 1;
      this.changes.emit({ revision: this.#revision });
    }
    this.#emitProblems(snapshot);
  }

  #emitProblems({ problems: found }: SourceSnapshot<Tool>): void {
    // Skips comparing all problems: thousands of tools may be registered one by one.
    if (this.#problems === '[]' && found.length === 0 && this.#wanted === this.#held.size) return;
    const problems = JSON.stringify(this.problems());
    if (problems === this.#problems) return;
    this.#problems = problems;
    this.problemChanges.emit();
  }

  #passOn(name: string): void {
    for (const [source, { wanted }] of this.#sources) {
      const tool = wanted.get(name);
      if (!tool) continue;
      this.#held.set(name, { tool, source });
      return;
    }
  }
}

function byName(tools: readonly Tool[]): Map<string, Tool> {
  const first = new Map<string, Tool>();
  for (const tool of tools) if (!first.has(tool.name)) first.set(tool.name, tool);
  return first;
}

function twoTools({ tool, holder }: TakenName): string {
  return `Two tools are called "${tool.name}": one from ${holder.origin}, one from ${tool.origin}. Rename one of them.`;
}

function toProblem(taken: TakenName): SourceProblem {
  const { agentId, origin } = taken.tool;
  return { place: origin, message: twoTools(taken), ...(agentId !== undefined && { agentId }) };
}

/** Where tools come from. `ToolRegistry.add` is the only way in; a source that is loaded on demand is added then. */
export interface ToolSource extends Source<Tool> {
  /** Returns why a tool of this source cannot be called now; undefined for an unknown name. */
  whyAbsent?(name: string): HubError | undefined;
  /** Describes the tools that are left out because their names are taken. By default, the registry describes them. */
  describeTaken?(taken: readonly TakenName[]): SourceProblem[];
}

/** A tool that is left out, and the tool that has its name. */
export interface TakenName {
  tool: Tool;
  holder: Tool;
}
