import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import type { NewDocument, Postings } from '../store/knowledge-store.ts';
import type { IndexOrder, IndexReply, SegmentPart } from './indexer-job.ts';

/** The thread ended or took too long. Its current request is lost. */
export class IndexThreadFailure extends Error {
  /** The index of the document that caused it, if known. */
  readonly culprit: number | undefined;

  constructor(message: string, culprit?: number) {
    super(message);
    this.culprit = culprit;
  }
}

export type SegmentRows = { documents: NewDocument[] } | { postings: Postings[] };

interface Waiting {
  resolve(reply: IndexReply): void;
  reject(error: unknown): void;
}

/** Keeps a huge document from exhausting the memory of the whole process. */
const maxHeapMegabytes = 1_024;
const startMs = 60_000;

/** A worker thread that handles one request at a time. The time limit restarts with every document. */
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
    this.#worker.on('message', (reply: IndexReply) => this.#receive(reply));
    // An error may overtake a reply that was posted before it. Node delivers all messages before 'exit', which always follows.
    let why = 'The indexing thread ended.';
    this.#worker.on('error', (error) => {
      why = whyEnded(error);
    });
    this.#worker.on('exit', () => this.#fail(new IndexThreadFailure(why)));
  }

  /** Whether the thread can be reused. */
  get isReusable(): boolean {
    return this.#ended === undefined && this.#waiting === undefined && this.#partsLeft === 0;
  }

  /** Sends a request and returns its reply. Without a request, returns the thread's first message. Throws IndexThreadFailure or the signal's reason. */
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
    // Only terminating the thread stops its computation.
    const abort = () => {
      reject(signal.reason);
      void this.end();
    };
    signal.addEventListener('abort', abort, { once: true });
    try {
      if (order) this.#worker.postMessage(order, transfer);
      const reply = await promise;
      if (reply.type === 'failed') throw new IndexThreadFailure(reply.message);
      if (reply.type !== type)
        throw new IndexThreadFailure(`The indexing thread replied "${reply.type}" instead of "${type}".`);
      if (reply.type === 'built') this.#partsLeft += 1;
      // Compared above. TypeScript cannot narrow by a type parameter.
      return reply as Extract<IndexReply, { type: Type }>;
    } finally {
      signal.removeEventListener('abort', abort);
      clearTimeout(this.#timer);
      this.#waiting = undefined;
    }
  }

  /** Yields the rows of the oldest built segment that was not read yet, in small parts. */
  *rows(): Generator<SegmentRows> {
    for (;;) {
      const received = receiveMessageOnPort(this.#parts);
      // Posted by our own code in the thread, before its 'built' reply.
      const part = received?.message as SegmentPart | undefined;
      if (!part) throw this.#ended ?? new IndexThreadFailure('The indexing thread lost a part of the index.');
      if (part.type === 'end') break;
      if (part.type === 'documents') yield { documents: part.documents };
      else yield { postings: toPostings(part) };
    }
    this.#partsLeft -= 1;
  }

  /** Lets the process exit while the thread is idle. */
  rest(): void {
    this.#worker.unref();
  }

  work(): void {
    this.#worker.ref();
  }

  /** Terminates the thread. Built segments can still be read. */
  async end(): Promise<void> {
    this.#fail(new IndexThreadFailure('The indexing thread was terminated.'));
    await this.#worker.terminate();
  }

  #receive(reply: IndexReply): void {
    if (reply.type === 'began') {
      this.#document = reply.index;
      this.#restartTimer(this.#limitMs);
    } else this.#waiting?.resolve(reply);
  }

  #restartTimer(limitMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#timeOut(limitMs), limitMs);
  }

  #timeOut(limitMs: number): void {
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
  return 'Reading it crashed the indexing thread.';
}

function toPostings({ terms, ends, bytes }: Extract<SegmentPart, { type: 'postings' }>): Postings[] {
  return terms.map((term, index) => ({ term, data: bytes.subarray(ends[index - 1] ?? 0, ends[index]) }));
}
