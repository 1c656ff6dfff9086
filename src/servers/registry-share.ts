import type { Tool } from '../tools/tool.ts';
import type { ToolRegistry } from '../tools/tool-registry.ts';

/** What the external servers have in the one registry of tools. A name that is taken stays with who has it. */
export class RegistryShare {
  readonly #registry: ToolRegistry;
  /** By server: what is in the registry, and what is kept out of it by the origin of another tool. */
  readonly #shares = new Map<string, { tools: readonly Tool[]; refused: Tool[] }>();
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
    const { tools: before = [] } = this.#shares.get(server) ?? {};
    const wanted = new Set(tools);
    const had = new Set(before.filter((tool) => this.#registry.find(tool.name) === tool));
    const leaving = [...had].filter((tool) => !wanted.has(tool));
    const coming = tools.filter((tool) => !had.has(tool));
    this.#isOwnChange = true;
    try {
      const refused = this.#registry.exchange(leaving, coming);
      const kept = new Set(refused);
      this.#shares.set(server, { tools: tools.filter((tool) => !kept.has(tool)), refused });
    } finally {
      this.#isOwnChange = false;
    }
    if (leaving.length > 0 && this.#hasFreedName()) this.#onFreed();
  }

  remove(server: string): void {
    this.set(server, []);
    this.#shares.delete(server);
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
