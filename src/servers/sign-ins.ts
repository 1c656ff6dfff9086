import type { Clock } from '../base/clock.ts';
import { HubError } from '../base/hub-error.ts';

interface PendingSignIn {
  server: string;
  redirectUrl: string;
  begunAt: number;
}

/** A person who takes longer begins anew. */
const lastsMs = 10 * 60_000;
const maxPending = 100;

/** Sign-ins that wait for a browser to come back. A state is good for one time. */
export class SignIns {
  readonly #clock: Clock;
  readonly #pending = new Map<string, PendingSignIn>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  begin(server: string, redirectUrl: string): string {
    const state = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url');
    for (const [key, { begunAt }] of this.#pending) if (this.#isOld(begunAt)) this.#pending.delete(key);
    const [oldest] = this.#pending.keys();
    if (oldest !== undefined && this.#pending.size >= maxPending) this.#pending.delete(oldest);
    this.#pending.set(state, { server, redirectUrl, begunAt: this.#clock.now() });
    return state;
  }

  /** Throws INVALID_ARGUMENTS for an unknown or old state. */
  take(state: string): PendingSignIn {
    const found = this.#pending.get(state);
    this.#pending.delete(state);
    if (found && !this.#isOld(found.begunAt)) return found;
    throw new HubError(
      'INVALID_ARGUMENTS',
      'This sign-in is not known here, or it was begun too long ago. Begin it again.',
    );
  }

  drop(state: string): void {
    this.#pending.delete(state);
  }

  #isOld(begunAt: number): boolean {
    return this.#clock.now() - begunAt > lastsMs;
  }
}
