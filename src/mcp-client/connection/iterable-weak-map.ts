/** A weak map that can be iterated. Keys that nobody else holds disappear from it. */
export class IterableWeakMap<K extends object, V> {
  readonly #entries = new WeakMap<K, { ref: WeakRef<K>; value: V }>();
  readonly #refs = new Set<WeakRef<K>>();
  readonly #collected = new FinalizationRegistry<WeakRef<K>>((ref) => this.#refs.delete(ref));

  get(key: K): V | undefined {
    return this.#entries.get(key)?.value;
  }

  set(key: K, value: V): void {
    const entry = this.#entries.get(key);
    if (entry) {
      entry.value = value;
      return;
    }
    const ref = new WeakRef(key);
    this.#entries.set(key, { ref, value });
    this.#refs.add(ref);
    this.#collected.register(key, ref, ref);
  }

  delete(key: K): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    this.#entries.delete(key);
    this.#refs.delete(entry.ref);
    this.#collected.unregister(entry.ref);
  }

  entries(): [K, V][] {
    return [...this.#refs].flatMap((ref): [K, V][] => {
      const key = ref.deref();
      const entry = key && this.#entries.get(key);
      return key && entry ? [[key, entry.value]] : [];
    });
  }
}
