import type { Due } from '../base/deadlines.ts';

/** How far one call has come, and until when it must be answered. */
export class CallProgress implements Due {
  readonly callId: string;
  /** The tool was found and allowed, and its input valid. */
  wasAccepted = false;
  /** A tool that changes things was started. */
  mayHaveRun = false;
  /** It has come to its end, and only what follows can fail now. */
  hasRun = false;
  /** The entry that ends the call was given to the log. */
  isRecorded = false;
  isLate = false;
  dueAt = Number.POSITIVE_INFINITY;
  readonly #limitMs: number;
  #onDue: (() => void) | undefined;
  #stop: AbortController | undefined;

  constructor(callId: string, limitMs = Number.POSITIVE_INFINITY) {
    this.callId = callId;
    this.#limitMs = limitMs;
    this.startDeadline();
  }

  startDeadline(): void {
    this.dueAt = performance.now() + this.#limitMs;
  }

  /** For as long as something runs that has limits of its own. A late call stays late. */
  liftDeadline(): void {
    if (!this.isLate) this.dueAt = Number.POSITIVE_INFINITY;
  }

  whenDue(act: () => void): void {
    this.#onDue = act;
  }

  onDue(): void {
    this.#onDue?.();
  }

  /** Tells the tool to stop, and leaves this long for the record of the failure. */
  makeLate(graceMs: number): void {
    this.isLate = true;
    this.dueAt = performance.now() + graceMs;
    this.#stop?.abort();
  }

  /** Aborted when the call is late, or with the signal of the caller. */
  signalWith(outer: AbortSignal | undefined): AbortSignal {
    this.#stop ??= new AbortController();
    if (this.isLate) this.#stop.abort();
    return outer ? AbortSignal.any([outer, this.#stop.signal]) : this.#stop.signal;
  }
}
