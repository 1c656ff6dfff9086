import type { IncomingMessage } from 'node:http';
import { isLoopbackAddress } from '../../base/address-ranges.ts';
import type { Clock } from '../../base/clock.ts';
import type { DoorSettings } from '../../base/door-settings.ts';
import { HubError } from '../../base/hub-error.ts';
import type { Logger } from '../../base/logger.ts';
import { TokenBuckets } from '../../base/token-buckets.ts';
import { callerKey, type Identity } from '../../callers/callers.ts';
import type { Callers } from '../../callers/create-callers.ts';
import { hashSecret } from '../../callers/credentials.ts';
import type { RecordsActs } from '../../decisions/record-act.ts';
import type { Calls } from '../../hub/calls.ts';
import { Refusal } from '../to-error-response.ts';
import { countedAs, type Visitor } from './visitors.ts';

export interface AdmittedParts extends RecordsActs, Pick<Calls, 'refuse'> {
  callers: Callers;
  clock: Clock;
  logger: Logger;
}

/** A bucket holds this many seconds of requests. */
const burstSeconds = 10;
/** Entries about strangers that the log gets: this many at once, and one per second. Others are only counted. */
const strangerEntries = { perSecond: 1, burst: 60 };
/** Credentials that are remembered as valid, so that wrong ones from the same address do not lock them out. */
const maxKnown = 1_000;

/** The codes of a database that cannot be used. */
const databaseCodes: ReadonlySet<string> = new Set<HubError['code']>([
  'UNAVAILABLE',
  'TRANSIENT_ERROR',
  'STORAGE_FULL',
  'STORAGE_FAILED',
  'TIMEOUT',
]);

interface Guest {
  address: string;
  key: string;
  /** A request is judged once, however often it is asked about. */
  identity?: Promise<Identity>;
}

/**
 * Limits requests from beyond this machine: per address, per caller and, much more strictly, wrong credentials. Logs failed sign-ins
 * with their address. A flood of them reaches the log as a number.
 */
export class Admission {
  readonly #parts: AdmittedParts;
  readonly #byAddress: TokenBuckets;
  readonly #byCaller: TokenBuckets;
  readonly #failures: TokenBuckets;
  readonly #entries: TokenBuckets;
  readonly #guests = new WeakMap<object, Guest>();
  readonly #known = new Set<string>();
  #unlogged = 0;

  constructor(parts: AdmittedParts, { caller, address, failure }: DoorSettings['limits']) {
    this.#parts = parts;
    const rate = (perSecond: number) => ({ perSecond, burst: Math.max(1, perSecond * burstSeconds) });
    this.#byAddress = new TokenBuckets(rate(address), parts.clock);
    this.#byCaller = new TokenBuckets(rate(caller), parts.clock);
    this.#failures = new TokenBuckets({ perSecond: failure / 60, burst: Math.max(1, failure) }, parts.clock);
    this.#entries = new TokenBuckets(strangerEntries, parts.clock);
  }

  /** Counts a request. Throws a Refusal (429). */
  count(request: IncomingMessage, { address, peer, isPeerTrusted, isForwarded }: Visitor): void {
    const key = countedAs(address);
    this.#guests.set(request, { address, key });
    // A proxy that does not say for whom it asks, asks for everybody. Programs of this machine are not limited.
    if (!isForwarded && (isPeerTrusted || isLoopbackAddress(peer))) return;
    const wait = this.#byAddress.take(key);
    if (wait === 0) return;
    const message = `Too many requests from ${address}. Try again in ${inSeconds(wait)} s.`;
    throw new Refusal(429, 'rate_limited', message, { 'retry-after': inSeconds(wait) });
  }

  /** Returns the address that a request came from; undefined if it was not counted. */
  addressOf(request: object): string | undefined {
    return this.#guests.get(request)?.address;
  }

  /** Returns the hub as requests from beyond this machine may use it. */
  admitTo<H extends AdmittedParts>(hub: H): H {
    const { callers } = this.#parts;
    return {
      ...hub,
      callers: {
        ...callers,
        identify: (request) => this.#identify(request),
        signIn: async (code, request) => {
          const guest = this.#guests.get(request);
          return callers.signIn(code, request).catch((error: unknown) => this.#noteFailure(guest, withoutPlace(error)));
        },
      } satisfies Callers,
      refuse: async (call, error) => {
        const isStranger = call.caller.kind === 'anonymous';
        return isStranger && !this.#mayLog() ? { ok: false, error } : hub.refuse(call, error);
      },
      recordAct: async (act) => {
        if (!(act.isRefusal && act.by?.kind === 'anonymous') || this.#mayLog()) await hub.recordAct(act);
      },
    };
  }

  #identify(request: Parameters<Callers['identify']>[0]): Identity | Promise<Identity> {
    const guest = this.#guests.get(request);
    if (!guest) return this.#parts.callers.identify(request);
    guest.identity ??= this.#judge(guest, request);
    return guest.identity;
  }

  async #judge(guest: Guest, request: Parameters<Callers['identify']>[0]): Promise<Identity> {
    const { authorization } = request.headers;
    const hash = authorization === undefined ? undefined : hashSecret(authorization);
    const isKnown = hash === undefined || this.#known.has(hash);
    if (!isKnown) refuseWhile(this.#failures.waitFor(guest.key), `wrong credentials from ${guest.address}`);
    let identity: Identity;
    try {
      identity = await this.#parts.callers.identify(request);
    } catch (thrown) {
      const error = withoutPlace(thrown);
      // Pages of a browser that was signed out keep asking, so a wrong cookie is no attempt.
      if (hash === undefined) throw error;
      this.#known.delete(hash);
      return this.#noteFailure(guest, error);
    }
    if (identity.kind === 'anonymous') return identity;
    if (hash !== undefined && !isKnown) this.#remember(hash);
    refuseWhile(this.#byCaller.take(callerKey(identity)), 'requests from this caller');
    return identity;
  }

  /** Throws the error, or RATE_LIMITED if this address has sent too many wrong credentials. */
  async #noteFailure(guest: Guest | undefined, error: unknown): Promise<never> {
    const isWrong = error instanceof HubError && ['UNAUTHENTICATED', 'PERMISSION_DENIED'].includes(error.code);
    if (!guest || !isWrong) throw error;
    refuseWhile(this.#failures.take(guest.key), `wrong credentials from ${guest.address}`);
    const before = this.#unlogged;
    if (!this.#mayLog()) throw error;
    this.#unlogged = 0;
    const act = {
      surface: 'http',
      by: { kind: 'anonymous' },
      act: 'sign-in',
      summary: 'Failed sign-in',
      target: guest.address,
      after: { reason: error.message, ...(before > 0 && { notLogged: before }) },
    } as const;
    await this.#parts.recordAct(act).catch((failure: unknown) => {
      this.#parts.logger.warn({ err: failure, address: guest.address }, 'a failed sign-in was not logged');
    });
    throw error;
  }

  #mayLog(): boolean {
    if (this.#entries.take('') === 0) return true;
    this.#unlogged += 1;
    return false;
  }

  #remember(hash: string): void {
    if (this.#known.size >= maxKnown) this.#known.clear();
    this.#known.add(hash);
  }
}

/** Strangers are not told where the database is. The log says it. */
function withoutPlace(error: unknown): unknown {
  if (!(error instanceof HubError) || !databaseCodes.has(error.code)) return error;
  const message = 'The hub cannot use its database, so it cannot check who sent this request. Try again later.';
  return new HubError(error.code, message, { cause: error, ...(error.details && { details: error.details }) });
}

function refuseWhile(wait: number, what: string): void {
  if (wait === 0) return;
  const message = `Too many ${what}. Try again in ${inSeconds(wait)} s.`;
  throw new HubError('RATE_LIMITED', message, { details: { retryAfter: Number(inSeconds(wait)) } });
}

function inSeconds(milliseconds: number): string {
  return String(Math.ceil(milliseconds / 1_000));
}
