import { HubError } from '../../base/hub-error.ts';
import type { Embedder } from '../embedder.ts';
import type { NearVectors, VectorStore } from '../store/knowledge-store.ts';
import type { ComparableVectors } from './comparable-vectors.ts';

export interface DatabaseVectorsParts {
  vectors: Pick<VectorStore, 'revision'>;
  near: NearVectors;
  embedder: Embedder;
  /** A search waits until this many new vectors are comparable; the others follow in the background. During the first copy, it fails. */
  maxSmallChange?: number;
}

/** Leaves the vectors in the database and compares them there. This process holds none of them. */
export function openDatabaseVectors({
  vectors,
  near,
  embedder,
  maxSmallChange = 5_000,
}: DatabaseVectorsParts): ComparableVectors {
  /** Every vector saved up to this revision is comparable. */
  let filledTo: number | undefined;
  let filling: { revision: number; enough: Promise<void>; isDone: boolean; copied: number } | undefined;

  return {
    async current() {
      const revision = await vectors.revision(embedder.key);
      if (filledTo === undefined || filledTo < revision) await catchUp(revision);
      const lengths = await near.dims(embedder.key);
      const dims = lengths.includes(embedder.dims) ? embedder.dims : embedder.dims === 0 ? lengths[0] : undefined;
      return {
        index: {
          size: dims === undefined ? 0 : 1,
          dims: dims ?? embedder.dims,
          async nearest(vector, { limit, only, signal }) {
            const found = await near.nearest({ model: embedder.key, vector, limit, only });
            signal.throwIfAborted();
            return found;
          },
        },
        otherDims: lengths.find((length) => length !== dims) ?? 0,
      };
    },
  };

  async function catchUp(revision: number): Promise<void> {
    // A running pass may have begun before the last vectors were saved.
    if (filling && filling.revision < revision) await filling.enough;
    filling ??= begin(revision);
    const current = filling;
    await current.enough;
    // Until the first copy is complete, most of what a search should find is missing.
    if (filledTo === undefined && !current.isDone) throw stillCopying(embedder, current.copied);
  }

  function begin(revision: number): NonNullable<typeof filling> {
    const { promise: enough, resolve, reject } = Promise.withResolvers<void>();
    const begun = { revision, enough, isDone: false, copied: 0 };
    const all = (async () => {
      for (let page = -1; page !== 0; begun.copied += page) {
        page = await near.fill(embedder.key);
        if (begun.copied + page >= maxSmallChange) resolve();
      }
      filledTo = revision;
      begun.isDone = true;
    })();
    all.then(resolve, reject).finally(() => {
      filling = undefined;
    });
    // Only a search that waits for it needs to know.
    enough.catch(() => {});
    return begun;
  }
}

/** A search without a mode uses keywords instead. */
function stillCopying({ key }: Embedder, copied: number): HubError {
  const message = `The vectors of ${key} are being copied for pgvector (${copied} so far), which happens once. Until then, search with mode "keyword", or try again later.`;
  return new HubError('UNAVAILABLE', message);
}
