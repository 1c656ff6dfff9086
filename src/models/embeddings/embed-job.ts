/** What the hub's thread and the one that embeds tell each other. */

export type EmbedOrder =
  | { type: 'embed'; id: number; texts: readonly string[]; purpose: 'query' | 'document' }
  | { type: 'cancel'; id: number };

export type EmbedReport =
  /** All vectors of the job, one after the other. */
  | { type: 'done'; id: number; dims: number; values: Float32Array<ArrayBuffer> }
  /** `isMissing`: the packages are not installed. */
  | { type: 'failed'; id: number; isMissing: boolean; message: string };
