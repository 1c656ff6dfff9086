/** An exclusive right that one process holds at a time. */
export interface Lease {
  /** Aborted when another process has taken it over. */
  readonly lost: AbortSignal;
  /** Never rejects. */
  release(): Promise<void>;
}

/** Tracks which process of a database holds which lease, and which processes have ended, without comparing the clocks of processes. */
export interface ProcessLeases {
  /** The name of this process. */
  readonly holder: string;
  /** Signals to the other processes from now on that this one is running. */
  keep(): void;
  /** Returns the holders whose process has ended. If the operating system cannot tell, this takes several calls to find out. */
  gone(holders: Iterable<string>): Promise<Set<string>>;
  /** Throws CONFLICT with the current holder and its start time. `what` begins the message: "The source x is being synced". */
  take(name: string, what?: string): Promise<Lease>;
}
