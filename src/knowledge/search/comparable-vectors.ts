import type { SimilarChunk, SimilarQuery } from '../embedder.ts';

/** The stored vectors, wherever they are compared with a query: in this process or in the database. */
export interface ComparableVectors {
  /** Resolves to the current vectors, or to the previous ones while a large change is being read. The first call waits until all are read. */
  current(): Promise<CurrentVectors>;
}

export interface CurrentVectors {
  index: {
    /** 0 if there are no vectors. */
    readonly size: number;
    readonly dims: number;
    nearest(query: Float32Array, options: SimilarQuery): Promise<SimilarChunk[]>;
  };
  /** The length of stored vectors that cannot be compared with the others; 0 if there are none. */
  otherDims: number;
}
