import { setTimeout as sleep } from 'node:timers/promises';
import { toIso } from '../../base/clock.ts';
import { EventChannel } from '../../base/events.ts';
import { HubError } from '../../base/hub-error.ts';
import type { Logger } from '../../base/logger.ts';
import type { Database } from '../database.ts';

const askAgainMs = 500;
/** A restart of the server takes less. Until then, tool calls are tried again. */
const briefMs = 3_000;

interface AbsenceParts {
  location: string;
  /** Resolves to whether the server replies on a new connection, within a second or so. Never rejects. */
  replies(): Promise<boolean>;
  logger: Logger;
}

/**
 * Notices that the server is away, so that nobody waits for it: requests are refused at once until it replies again. Somebody
 * must have failed first; one lost connection or slow statement is no absence.
 */
export class PostgresAbsence implements NonNullable<Database['health']> {
  readonly #parts: AbsenceParts;
  readonly #changes: EventChannel<void>;
  #since: number | undefined;
  #noticedAt = 0;
  /** Whether the server was silent instead of refusing: whoever noticed it has waited for seconds. */
  #isSilent = false;
  #isAsking = false;
  #isClosed = false;

  constructor(parts: AbsenceParts) {
    this.#parts = parts;
    this.#changes = new EventChannel((error) => parts.logger.error({ err: error }, 'a listener of the storage failed'));
  }

  get fault(): HubError | undefined {
    if (this.#since === undefined) return undefined;
    return new HubError(
      'UNAVAILABLE',
      `${this.#reason}. What the hub has in memory is still shown, and nothing can be saved. It continues on its own once the database is back.`,
      { details: { since: toIso(this.#since) } },
    );
  }

  watch(onChange: () => void): () => void {
    return this.#changes.on(onChange);
  }

  /** Throws while the server is away: UNAVAILABLE, but at first TRANSIENT_ERROR if it refuses connections, because it may be restarting. */
  refuse(): void {
    if (this.#since === undefined) return;
    const isBrief = !this.#isSilent && performance.now() - this.#noticedAt < briefMs;
    const code = isBrief ? 'TRANSIENT_ERROR' : 'UNAVAILABLE';
    throw new HubError(code, `${this.#reason}. Nothing was saved. Try again.`, { details: { mayHaveRun: false } });
  }

  get #reason(): string {
    return `PostgreSQL at ${this.#parts.location} cannot be reached`;
  }

  /** Call it after a connection failed. */
  suspect(isSilent: boolean): void {
    if (this.#isAsking || this.#isClosed) return;
    this.#isSilent = isSilent;
    this.#isAsking = true;
    void this.#ask().finally(() => {
      this.#isAsking = false;
    });
  }

  close(): void {
    this.#isClosed = true;
  }

  async #ask(): Promise<void> {
    const { location, logger } = this.#parts;
    while (!this.#isClosed && !(await this.#parts.replies())) {
      if (this.#since === undefined) {
        this.#since = Date.now();
        this.#noticedAt = performance.now();
        logger.warn({ location }, 'the database is away; the hub is read-only until it is back');
        this.#changes.emit();
      }
      await sleep(askAgainMs, undefined, { ref: false });
    }
    if (this.#since === undefined) return;
    this.#since = undefined;
    if (this.#isClosed) return;
    logger.info({ location }, 'the database is back');
    this.#changes.emit();
  }
}
