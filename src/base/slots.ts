/**
 * Holds running items in numbered slots that are reused. A Set or Map with many additions and deletions replaces its internal table now
 * and then, and the old table refers to the new one: once the garbage collector has promoted the old table, everything in later tables
 * stays in memory until the next full collection. (Measured: requests in a Set made each minor collection about ten times as long.)
 */
export class Slots<T extends object> implements Iterable<T> {
  readonly #items: (T | undefined)[] = [];
  readonly #free: number[] = [];

  get size(): number {
    return this.#items.length - this.#free.length;
  }

  /** Returns the slot, which `remove` needs. */
  add(item: T): number {
    const slot = this.#free.pop() ?? this.#items.length;
    this.#items[slot] = item;
    return slot;
  }

  at(slot: number): T | undefined {
    return this.#items[slot];
  }

  /** Call it once for each `add`. */
  remove(slot: number): void {
    this.#items[slot] = undefined;
    this.#free.push(slot);
  }

  *[Symbol.iterator](): IterableIterator<T> {
    for (const item of this.#items) if (item !== undefined) yield item;
  }
}

/** Slots with keys. Its Map holds only numbers, so it keeps no items in memory. */
export class SlotMap<Key extends string | number, T extends object> {
  readonly #numbers = new Map<Key, number>();
  readonly #slots = new Slots<T>();

  get size(): number {
    return this.#slots.size;
  }

  get(key: Key): T | undefined {
    const slot = this.#numbers.get(key);
    return slot === undefined ? undefined : this.#slots.at(slot);
  }

  has(key: Key): boolean {
    return this.#numbers.has(key);
  }

  set(key: Key, item: T): void {
    this.delete(key);
    this.#numbers.set(key, this.#slots.add(item));
  }

  delete(key: Key): boolean {
    const slot = this.#numbers.get(key);
    if (slot === undefined) return false;
    this.#slots.remove(slot);
    return this.#numbers.delete(key);
  }

  values(): Iterable<T> {
    return this.#slots;
  }
}
