import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import type { NewDocument, Postings } from '../store/knowledge-store.ts';
import type { IndexOrder, IndexReply, SegmentPart } from './indexer-job.ts';

/** The thread ended, or was ended because it took too long; what it was asked is lost. */
export class IndexThreadFailure extends Error {
  /** The number of the document in its order, where there is no doubt. */
  readonly guilty: number | undefined;

  constructor(message: string, guilty?: number) {
    super(message);
    this.guilty = guilty;
  }
}

export type SegmentRows = { documents: NewDocument[] } | { postings: Postings[] };

interface Waiting {
  resolve(reply: IndexReply): void;
  reject(error: unknown): void;
}

/** A document of many megabytes must not take the whole process with it. */
const maxHeapMegabytes = 1_024;
const startMs = 60_000;

/** One worker thread: one question at a time, each with a limit that starts anew with every document. */
export class IndexThread {
  readonly #worker: Worker;
  readonly #parts: MessagePort;
  readonly #limitMs: number;
  #waiting: Waiting | undefined;
  #document: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #ended: IndexThreadFailure | undefined;
  #partsLeft = 0;

  constructor(options: { file: URL; limitMs: number }) {
    const { port1, port2 } = new MessageChannel();
    port1.unref();
    this.#parts = port1;
    this.#limitMs = options.limitMs;
    this.#worker = new Worker(options.file, {
      name: 'zoo-index',
      workerData: { parts: port2 },
      transferList: [port2],
      resourceLimits: { maxOldGenerationSizeMb: maxHeapMegabytes },
    });
    this.#worker.on('message', (reply: IndexReply) => this.#hear(reply));
    // An error may overtake an answer that was posted before it. Node delivers what is left before 'exit', which always follows.
    let why = 'The thread that reads it ended.';
    this.#worker.on('error', (error) => {
      why = whyEnded(error);
    });
    this.#worker.on('exit', () => this.#fail(new IndexThreadFailure(why)));
  }

  /** Whether it can be used again. */
  get isSound(): boolean {
    return this.#ended === undefined && this.#waiting === undefined && this.#partsLeft === 0;
  }

  /** The answer, or the first word of the thread when there is no order. Throws IndexThreadFailure, the signal's reason. */
  async ask<Type extends IndexReply['type']>(
    type: Type,
    order: IndexOrder | undefined,
    { signal, transfer = [] }: { signal: AbortSignal; transfer?: ArrayBuffer[] },
  ): Promise<Extract<IndexReply, { type: Type }>> {
    signal.throwIfAborted();
    if (this.#ended) throw this.#ended;
    const { promise, resolve, reject } = Promise.withResolvers<IndexReply>();
    this.#waiting = { resolve, reject };
    this.#document = undefined;
    this.#restartTimer(order ? this.#limitMs : startMs);
    // Only ending the thread stops what it computes.
    const abort = () => {
      reject(signal.reason);
      void this.end();
    };
    signal.addEventListener('abort', abort, { once: true });
    try {
      if (order) this.#worker.postMessage(order, transfer);
      const reply = await promise;
      if (reply.type === 'failed') throw new IndexThreadFailure(reply.message);
      if (reply.type !== type) throw new IndexThreadFailure(`The thread that reads it answered "${reply.type}".`);
      if (reply.type === 'built') this.#partsLeft += 1;
      // Compared above; the type cannot follow a parameter.
      return reply as Extract<IndexReply, { type: Type }>;
    } finally {
      signal.removeEventListener('abort', abort);
      clearTimeout(this.#timer);
      this.#waiting = undefined;
    }
  }

  /** The rows of the segment that was built first and not taken yet; each step copies a small part of them. */
  *rows(): Generator<SegmentRows> {
    for (;;) {
      const received = receiveMessageOnPort(this.#parts);
      // Posted before the answer that it was built, by the thread's own code.
      const part = received?.message as SegmentPart | undefined;
      if (!part) throw this.#ended ?? new IndexThreadFailure('The thread that reads it lost a part of the index.');
      if (part.type === 'end') break;
      if (part.type === 'documents') yield { documents: part.documents };
      else yield { postings: toPostings(part) };
    }
    this.#partsLeft -= 1;
  }

  /** A thread that rests does not keep the process alive. */
  rest(): void {
    this.#worker.unref();
  }

  work(): void {
    this.#worker.ref();
  }

  /** What it has built can still be taken. */
  async end(): Promise<void> {
    this.#fail(new IndexThreadFailure('The thread that reads it was ended.'));
    await this.#worker.terminate();
  }

  #hear(reply: IndexReply): void {
    if (reply.type === 'began') {
      this.#document = reply.index;
      this.#restartTimer(this.#limitMs);
    } else this.#waiting?.resolve(reply);
  }

  #restartTimer(limitMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#tooLong(limitMs), limitMs);
  }

  #tooLong(limitMs: number): void {
    const message = `Reading it took longer than ${limitMs / 1000} seconds.`;
    this.#fail(new IndexThreadFailure(message, this.#document));
    void this.end();
  }

  #fail(failure: IndexThreadFailure): void {
    this.#ended ??= failure;
    this.#waiting?.reject(failure);
  }
}

function whyEnded(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ERR_WORKER_OUT_OF_MEMORY') return `Reading it needs more than ${maxHeapMegabytes} MB of memory.`;
  return 'Reading it ended the thread that did so.';
}

function toPostings({ terms, ends, bytes }: Extract<SegmentPart, { type: 'postings' }>): Postings[] {
  return terms.map((term, index) => ({ term, data: bytes.subarray(ends[index - 1] ?? 0, ends[index]) }));
}
