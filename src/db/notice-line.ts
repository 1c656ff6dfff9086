/**
 * Carries notices between processes at once. A line may lose some: processes also look for the changes themselves, seldom while the
 * line is proven and every second while it is not.
 */
export interface NoticeLine {
  readonly way: 'listen' | 'nats';
  /** Whether this process has heard itself since it connected. */
  readonly isProven: boolean;
  /** Why it is not proven; undefined while that is not known. */
  readonly problem: string | undefined;
  /** Connects, and again after each loss, until closed. Resolves after the first attempt. Never rejects. */
  open(): Promise<void>;
  /** Proves the line now. Resolves when `isProven` or `problem` says how it went. */
  prove(): Promise<void>;
  /** Throws while there is no connection. */
  send(notice: string): Promise<void>;
  close(): Promise<void>;
}

export interface NoticeLineEvents {
  /** Called for the notices of others. */
  onNotice(notice: string): void;
  /** Called when `isProven` or `problem` has changed. */
  onChange(): void;
}
