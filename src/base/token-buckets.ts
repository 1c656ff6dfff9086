import type { Clock } from './clock.ts';

export interface BucketSize {
  /** The number of tokens that a bucket gains per second. 0 turns the limit off. */
  perSecond: number;
  /** The number of tokens in a full bucket. */
  burst: number;
}

interface Bucket {
  tokens: number;
  at: number;
}

/** The number of buckets that are kept. Beyond it, the oldest is forgotten, and so is full again. */
const maxBuckets = 10_000;

/** Counts events per key, such as an address, with a token bucket for each key. */
export class TokenBuckets {
  readonly #size: BucketSize;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #buckets = new Map<string, Bucket>();

  constructor(size: BucketSize, clock: Pick<Clock, 'now'>) {
    this.#size = size;
    this.#clock = clock;
  }

  /** Takes a token. Returns 0, or the milliseconds until there is one. */
  take(key: string): number {
    if (this.#size.perSecond === 0) return 0;
    const bucket = this.#filled(key) ?? this.#add(key);
    if (bucket.tokens < 1) return this.#wait(bucket);
    bucket.tokens -= 1;
    return 0;
  }

  /** Returns the milliseconds until there is a token; 0 if there is one now. */
  waitFor(key: string): number {
    const bucket = this.#size.perSecond === 0 ? undefined : this.#filled(key);
    return bucket === undefined || bucket.tokens >= 1 ? 0 : this.#wait(bucket);
  }

  get size(): number {
    return this.#buckets.size;
  }

  #filled(key: string): Bucket | undefined {
    const bucket = this.#buckets.get(key);
    if (!bucket) return undefined;
    const now = this.#clock.now();
    const gained = (Math.max(0, now - bucket.at) / 1_000) * this.#size.perSecond;
    bucket.tokens = Math.min(this.#size.burst, bucket.tokens + gained);
    bucket.at = now;
    return bucket;
  }

  #add(key: string): Bucket {
    if (this.#buckets.size >= maxBuckets) {
      for (const oldest of this.#buckets.keys()) {
        this.#buckets.delete(oldest);
        break;
      }
    }
    const bucket = { tokens: this.#size.burst, at: this.#clock.now() };
    this.#buckets.set(key, bucket);
    return bucket;
  }

  #wait({ tokens }: Bucket): number {
    return Math.ceil(((1 - tokens) / this.#size.perSecond) * 1_000);
  }
}
