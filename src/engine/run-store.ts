import type { HubErrorCode } from '../base/hub-error.ts';
import type { Message } from './message.ts';
import type { Usage } from './model.ts';
import type { RunStatus } from './run-events.ts';

/** A run as it is kept. One whose process ended in the middle is `interrupted`. */
export interface StoredRun {
  id: string;
  agentId: string | null;
  model: string;
  status: 'running' | 'interrupted' | RunStatus;
  reason: string | null;
  error: { code: HubErrorCode; message: string } | null;
  startedAt: number;
  /** When it was saved last. */
  heartbeatAt: number;
  finishedAt: number | null;
  ticks: number;
  usage: Usage;
  cost: number | null;
  /** The question in short, for lists. */
  title: string;
}

export interface StoredRunDetail extends StoredRun {
  messages: Message[];
  /** Tool calls of the current tick that were begun, and whether they ended: what a crash left open. */
  calls: { id: string; tool: string; state: 'waiting' | 'running' | 'finished' | 'failed' | 'denied' }[];
}

export interface RunProgress {
  ticks: number;
  usage: Usage;
  cost: number | null;
  /** All messages so far; the store keeps what is new. */
  messages: readonly Message[];
  calls: StoredRunDetail['calls'];
}

export interface RunStore {
  begin(run: {
    id: string;
    agentId: string | null;
    model: string;
    title: string;
    messages: readonly Message[];
  }): Promise<void>;
  save(id: string, progress: RunProgress): Promise<void>;
  finish(
    id: string,
    end: RunProgress & { status: RunStatus; reason: string; error: StoredRun['error'] },
  ): Promise<void>;
  /** Newest first. Runs whose process is gone are shown as `interrupted`. */
  list(options: { agentId?: string | undefined; limit: number; cursor?: string | undefined }): Promise<{
    runs: StoredRun[];
    cursor: string | null;
  }>;
  /** Throws NOT_FOUND. */
  get(id: string): Promise<StoredRunDetail>;
}
