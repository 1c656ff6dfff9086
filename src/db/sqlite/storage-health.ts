import { EventChannel } from '../../base/events.ts';
import type { HubError } from '../../base/hub-error.ts';
import type { Logger } from '../../base/logger.ts';
import { toStorageError } from './storage-fault.ts';

/** A fault that persists is logged this often, however many requests run into it. */
const logAgainMs = 60_000;

/** Remembers what is wrong with the storage, until a write succeeds. */
export class StorageHealth {
  readonly #place: string;
  readonly #logger: Logger;
  readonly #changes: EventChannel<void>;
  #fault: HubError | undefined;
  /** The last fault that was logged. On a disk that is almost full, small writes succeed between large ones that fail. */
  #logged: { message: string; at: number; isOver: boolean } | undefined;

  constructor({ place, logger }: { place: string; logger: Logger }) {
    this.#place = place;
    this.#logger = logger;
    this.#changes = new EventChannel((error) => logger.error({ err: error }, 'a listener of the storage failed'));
  }

  /** The last fault, unless something was written since. */
  get fault(): HubError | undefined {
    return this.#fault;
  }

  /** Calls back when a fault appears, changes or is gone. */
  watch(onChange: () => void): () => void {
    return this.#changes.on(onChange);
  }

  /** Takes note of a failure. Returns the error for the caller: a typed one when the storage is to blame, otherwise the same. */
  failed(error: unknown): unknown {
    const fault = toStorageError(error, this.#place);
    if (!fault) return error;
    this.refused(fault);
    return fault;
  }

  refused(fault: HubError): void {
    const isNews = fault.message !== this.#fault?.message;
    this.#fault = fault;
    const { message } = fault;
    const at = performance.now();
    if (message !== this.#logged?.message || at - this.#logged.at > logAgainMs) {
      this.#logged = { message, at, isOver: false };
      this.#logger.error({ err: fault }, message);
    }
    if (isNews) this.#changes.emit();
  }

  /** Something was written. A damaged file stays damaged: other pages of it may still be fine. */
  wrote(): void {
    if (this.#fault === undefined || this.#fault.details?.fault === 'corrupt') return;
    this.#fault = undefined;
    if (this.#logged?.isOver === false) {
      this.#logged.isOver = true;
      this.#logger.info({ place: this.#place }, `The database ${this.#place} can be written again.`);
    }
    this.#changes.emit();
  }
}
