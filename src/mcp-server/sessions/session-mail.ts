import type { Logger } from '../../base/logger.ts';
import type { McpSessionStore, ReceivedMessage, SessionMessage } from './session-store.ts';

export interface MailParts {
  store: McpSessionStore;
  /** Announces what any process has written. */
  changes: { on(listener: (change: { topic: string; ids: readonly string[] }) => void): () => void };
  logger: Logger;
}

/** The sessions of this process, as the mail sees them. */
export interface MailReader {
  /** The number of sessions whose messages concern this process. */
  readonly size: number;
  /** Whether messages about the session concern this process. */
  has(sessionId: string): boolean;
  receive(received: ReceivedMessage): void;
}

/** Carries messages about sessions between the processes that share a database: rows, announced by the change bus. */
export class SessionMail {
  readonly #parts: MailParts;
  readonly #reader: MailReader;
  readonly #sending = new Set<Promise<unknown>>();
  /** Whether messages may have arrived that were not read yet. */
  #isWaiting = false;
  #reading: Promise<void> | undefined;
  #stop: (() => void) | undefined;
  #isClosed = false;

  constructor(parts: MailParts, reader: MailReader) {
    this.#parts = parts;
    this.#reader = reader;
  }

  /** Starts listening. Does nothing if it already listens. */
  listen(): void {
    if (this.#isClosed) return;
    this.#stop ??= this.#parts.changes.on(({ topic, ids }) => {
      if (topic === 'mcp') this.#look(ids);
    });
  }

  /** Sends a message to one process, or to all others. Returns its number. */
  send(sessionId: string, message: SessionMessage, to?: string): Promise<number> {
    return this.#track(this.#parts.store.send(sessionId, message, to));
  }

  /** Does the same without waiting. A failure is logged. */
  post(sessionId: string, message: SessionMessage, to?: string): void {
    this.send(sessionId, message, to).catch((error: unknown) =>
      this.#parts.logger.warn({ err: error, kind: message.kind }, 'a message about an MCP session was not sent'),
    );
  }

  /** Keeps the events of a finished stream for a client that reconnects to any process. A failure is logged. */
  keepEvents(sessionId: string, stream: string, events: string): void {
    this.#track(this.#parts.store.keepEvents(sessionId, stream, events)).catch((error: unknown) =>
      this.#parts.logger.warn({ err: error }, 'the result of an MCP call was not kept'),
    );
  }

  /** Waits until everything is sent. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stop?.();
    await Promise.allSettled([...this.#sending, this.#reading]);
  }

  #track<T>(sending: Promise<T>): Promise<T> {
    this.#sending.add(sending);
    const end = () => this.#sending.delete(sending);
    sending.then(end, end);
    return sending;
  }

  #look(ids: readonly string[]): void {
    const isConcerned = ids.length > 0 ? ids.some((id) => this.#reader.has(id)) : this.#reader.size > 0;
    if (!isConcerned) return;
    this.#isWaiting = true;
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
  }

  async #read(): Promise<void> {
    const { store, logger } = this.#parts;
    while (this.#isWaiting && !this.#isClosed) {
      this.#isWaiting = false;
      try {
        const { messages, isMore } = await store.receive();
        if (isMore) this.#isWaiting = true;
        for (const received of messages) this.#reader.receive(received);
      } catch (error) {
        // The next announcement reads them: after a failure, the bus announces everything.
        logger.warn({ err: error }, 'messages about MCP sessions could not be read');
      }
    }
  }
}
