/** Something that one process has at a time. */
export interface Lease {
  /** Aborted when another process has taken it over. */
  readonly lost: AbortSignal;
  /** Never rejects. */
  release(): Promise<void>;
}

/** Who holds what among the processes of one database, and which of them are gone. No clock of a process decides it. */
export interface ProcessLeases {
  /** The name of this process. */
  readonly holder: string;
  /** Tells others from now on that this process is there. */
  keep(): void;
  /** Returns those of the holders whose process has ended; without a sign from the system this takes several looks. */
  gone(holders: Iterable<string>): Promise<Set<string>>;
  /** Throws CONFLICT, with who has it since when. `what` begins the message: "The source x is being synced". */
  take(name: string, what?: string): Promise<Lease>;
}
