import type { Clock } from '../../base/clock.ts';
import type { ServerDefinition } from '../server-definition.ts';
import { memoryKey, noMemory, type ServerMemory, type ServerStore } from '../server-store.ts';
import { type ReadList, reviewList } from '../trust.ts';

export interface ToolMemoryParts {
  server: string;
  store: ServerStore;
  clock: Clock;
  /** The name under which this process is recorded as one that sees the server; null for a command that ends soon. */
  holder: string | null;
  trust(): ServerDefinition['trust'];
  /** Nothing is read or written after it aborts. */
  ended: AbortSignal;
  /** Called when the tools may have changed. */
  onChange(): void;
}

/** An unchanged list updates `listedAt` at most once per interval. */
const listedAtIntervalMs = 60_000;

/** What is stored about a server's tools, and the list that this process has read. */
export class ToolMemory {
  readonly #parts: ToolMemoryParts;
  current: ServerMemory = noMemory;
  /** The list that this process has read last. */
  #read: ReadList | undefined;
  #writing: Promise<unknown> = Promise.resolve();

  constructor(parts: ToolMemoryParts) {
    this.#parts = parts;
  }

  /** The list that this process has read last; undefined if it has read none. */
  get listId(): string | undefined {
    return this.#read?.id;
  }

  /** Resolves when nothing is being written. */
  get settled(): Promise<unknown> {
    return this.#writing;
  }

  /** Runs one change at a time, so that two changes never start from the same state, and reads the store again. */
  async change(run: (() => Promise<void>) | undefined): Promise<void> {
    const { ended, onChange } = this.#parts;
    const done = this.#writing.then(async () => {
      if (ended.aborted) return;
      const { listId } = this;
      await run?.();
      const memory = await this.#load();
      const isSame = this.listId === listId && memoryKey(memory) === memoryKey(this.current);
      this.current = isSame ? { ...this.current, listedAt: memory.listedAt } : memory;
      if (!isSame) onChange();
    });
    this.#writing = done.catch(() => {});
    return done;
  }

  /** Stores a list that was just read. */
  review(read: ReadList): Promise<void> {
    return this.change(async () => {
      await this.#record(read);
      this.#read = read;
    });
  }

  async #load(): Promise<ServerMemory> {
    const { store, server } = this.#parts;
    const memory = await store.memory(server);
    if (!this.#read || !lacksDefinitions(memory, this.#read)) return memory;
    await this.#record(this.#read);
    return store.memory(server);
  }

  #record(read: ReadList): Promise<void> {
    const { store, server, clock, holder, trust } = this.#parts;
    return store.change(server, (memory) => {
      const now = clock.now();
      const next = reviewList(memory, read, { trust: trust(), holder, now });
      const isRecent = memory.listedAt !== null && now - memory.listedAt < listedAtIntervalMs;
      return isRecent && memoryKey(next) === memoryKey(memory) ? undefined : next;
    });
  }
}

/** A process of an older release replaces pins that it does not know another version needs. */
function lacksDefinitions({ lists, pins, held }: ServerMemory, read: ReadList): boolean {
  if (!lists.some(({ id }) => id === read.id)) return false;
  const known = new Set([...pins, ...held].map(({ tool, hash }) => `${hash} ${tool}`));
  return read.tools.some(({ tool, hash }) => !known.has(`${hash} ${tool}`));
}
