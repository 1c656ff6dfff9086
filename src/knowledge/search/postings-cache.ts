import type { DecodedPostings } from '../index/postings-codec.ts';

/** Decoded postings that were used lately. A segment never changes, so what is here stays true. */
export class PostingsCache {
  readonly #entries = new Map<string, DecodedPostings>();
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get(segment: number, term: string): DecodedPostings | undefined {
    const key = keyOf(segment, term);
    const found = this.#entries.get(key);
    if (found) {
      this.#entries.delete(key);
      this.#entries.set(key, found);
    }
    return found;
  }

  set(segment: number, term: string, postings: DecodedPostings): void {
    const key = keyOf(segment, term);
    const before = this.#entries.get(key);
    if (before) this.#forget(key, before);
    this.#entries.set(key, postings);
    this.#bytes += sizeOf(key, postings);
    for (const [oldest, each] of this.#entries) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#forget(oldest, each);
    }
  }

  #forget(key: string, postings: DecodedPostings): void {
    this.#entries.delete(key);
    this.#bytes -= sizeOf(key, postings);
  }
}

function keyOf(segment: number, term: string): string {
  return `${segment} ${term}`;
}

/** About what an entry of a map, its key and two arrays take. */
function sizeOf(key: string, postings: DecodedPostings): number {
  return 200 + key.length * 2 + postings.chunks.length * 8;
}
