import { z } from 'zod';
import { SyncReport } from '../sync/sync-report.ts';

/** A requested sync, from the request until a while after its end. */
export const RequestedSync = z.object({
  id: z.string(),
  source: z.string(),
  full: z.boolean().describe('Whether all documents are read again.'),
  state: z.enum(['waiting', 'running', 'done']),
  requestedAt: z.number().describe('Milliseconds since the epoch.'),
  finishedAt: z.number().nullable(),
  outcome: z.enum(['complete', 'failed', 'cancelled']).nullable().describe('Null until it is done.'),
  report: SyncReport.nullable().describe('The report of the sync that fulfilled the request.'),
});
export type RequestedSync = z.infer<typeof RequestedSync>;

/**
 * The options of a requested sync. `allowEmpty` is not stored on purpose: it must apply only to the caller's own sync, not
 * to a later one.
 */
export interface SyncRequest {
  full: boolean;
}

/** A sync that has begun. */
export interface BegunSync {
  id: string;
  /** Whether one of the requests that it fulfils is for a full sync. */
  full: boolean;
}

export interface SyncEnd {
  /** `again`: it was stopped, so its requests wait for the next sync. */
  outcome: 'complete' | 'failed' | 'again';
  report: SyncReport | null;
}

/** The requested syncs of all processes. A sync fulfils every request that waits when it begins, and none that comes later. */
export interface SyncRequestStore {
  /** Requests a sync by any process, and returns the request's id. Joins an equal request that has not begun. */
  add(source: string, request: SyncRequest): Promise<string>;
  /** Returns undefined if it was withdrawn or is long done. */
  get(id: string): Promise<RequestedSync | undefined>;
  /** Takes one requester back. The request ends with the last of them, unless it has begun. */
  withdraw(id: string): Promise<void>;
  /** Leaves the request to other processes, because this one is closing. */
  leave(id: string): Promise<void>;
  /**
   * Begins a sync, which fulfils the waiting requests and those whose sync was killed, unless it reads only a part. Only the holder of
   * the source's lease may call it.
   */
  begin(source: string, options?: { isPartial?: boolean }): Promise<BegunSync>;
  /** Ends what `begin` began. Requests of a cancelled sync are done. Does nothing once another process has begun. */
  end(source: string, id: string, end: SyncEnd): Promise<void>;
  /** Cancels the running sync and all waiting requests of a source, in whichever process. Returns false if there are none. */
  cancel(source: string): Promise<boolean>;
  isCancelled(source: string, id: string): Promise<boolean>;
  /** Returns the sources with requests whose process is gone. */
  abandoned(): Promise<string[]>;
  /** Returns whether any request is not done. */
  hasOpen(): Promise<boolean>;
}
