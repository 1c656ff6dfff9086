import type { Tool } from '../tools/tool.ts';
import type { ToolRegistry } from '../tools/tool-registry.ts';

/**
 * What the external servers have in the one registry of tools. A name that somebody else took stays with who has it; of two servers
 * the one has it whose own prefix it begins with, then the first by name, whichever was there first.
 */
export class RegistryShare {
  readonly #registry: ToolRegistry;
  /** By server: what is in the registry, and what is kept out of it by the origin of another tool. */
  readonly #shares = new Map<string, { tools: readonly Tool[]; refused: Tool[] }>();
  /** By server: what it should have. */
  readonly #wanted = new Map<string, readonly Tool[]>();
  readonly #onFreed: () => void;
  readonly #stop: () => void;
  #isOwnChange = false;

  /** `onFreed`: a name that was taken is free now. */
  constructor(registry: ToolRegistry, onFreed: () => void) {
    this.#registry = registry;
    this.#onFreed = onFreed;
    this.#stop = registry.changes.on(() => {
      if (!this.#isOwnChange && this.#hasFreedName()) onFreed();
    });
  }

  /** Brings the registry in line with what a server should have there, with one change at most. */
  set(server: string, tools: readonly Tool[]): void {
    this.#wanted.set(server, tools);
    const owners = this.#owners();
    const names = new Set(tools.filter((tool) => owners.get(tool.name) === tool).map(({ name }) => name));
    const losers = [...this.#shares].filter(
      ([other, share]) => other !== server && share.tools.some(({ name }) => names.has(name)),
    );
    const left = [...losers.map(([other]) => other), server].map((each) => this.#apply(each, owners));
    if (left.some((count) => count > 0) && this.#hasFreedName()) this.#onFreed();
  }

  remove(server: string): void {
    this.set(server, []);
    this.#wanted.delete(server);
    this.#shares.delete(server);
  }

  /** How many of its tools left the registry. */
  #apply(server: string, owners: ReadonlyMap<string, Tool>): number {
    const { tools: before = [] } = this.#shares.get(server) ?? {};
    const all = this.#wanted.get(server) ?? [];
    const tools = all.filter((tool) => owners.get(tool.name) === tool);
    const outranked = all.filter((tool) => owners.get(tool.name) !== tool);
    const wanted = new Set(tools);
    const had = new Set(before.filter((tool) => this.#registry.find(tool.name) === tool));
    const leaving = [...had].filter((tool) => !wanted.has(tool));
    const coming = tools.filter((tool) => !had.has(tool));
    this.#isOwnChange = true;
    try {
      const refused = this.#registry.exchange(leaving, coming);
      const kept = new Set(refused);
      this.#shares.set(server, {
        tools: tools.filter((tool) => !kept.has(tool)),
        refused: [...refused, ...outranked],
      });
    } finally {
      this.#isOwnChange = false;
    }
    return leaving.length;
  }

  /** Which tool of all servers a name belongs to. */
  #owners(): Map<string, Tool> {
    const owners = new Map<string, Tool>();
    for (const tool of [...this.#wanted.values()].flat()) {
      const other = owners.get(tool.name);
      if (!other || comesBefore(tool, other)) owners.set(tool.name, tool);
    }
    return owners;
  }

  /** Remote names of tools that are kept out, and where the tool comes from that has the name. */
  taken(server: string): Map<string, string> {
    const refused = this.#shares.get(server)?.refused ?? [];
    return new Map(
      refused.map((tool) => [tool.server?.remoteName ?? '', this.#registry.find(tool.name)?.origin ?? 'elsewhere']),
    );
  }

  /** Whether any tool is kept out whose name nobody has any more. */
  #hasFreedName(): boolean {
    return [...this.#shares.values()].some(({ refused }) => refused.some((tool) => !this.#registry.find(tool.name)));
  }

  close(): void {
    this.#stop();
    // Nobody takes a place that becomes free now.
    for (const share of this.#shares.values()) share.refused = [];
    for (const server of [...this.#shares.keys()]) this.remove(server);
  }
}

function comesBefore(tool: Tool, other: Tool): boolean {
  const [mine, others] = [hasOwnPrefix(tool), hasOwnPrefix(other)];
  return mine === others ? (tool.server?.name ?? '') < (other.server?.name ?? '') : mine;
}

function hasOwnPrefix({ name, server }: Tool): boolean {
  return server !== undefined && name.startsWith(`mcp__${server.name}__`);
}
