import { type Outline, outlineOf, Vocabulary } from '../outline.ts';
import type { ChunkKey, KnowledgeStore, StoredPassage } from '../store/knowledge-store.ts';

/** What is known of a passage without asking the store, or what asking it brought. */
export interface OutlinedPassage {
  outline: Outline;
  /** Where it was read just now. */
  passage: StoredPassage | undefined;
}

/** 4 bytes each. */
const maxWords = 8_000_000;
const maxTerms = 500_000;

/**
 * Outlines of passages that were looked at lately, so that most searches read and analyse only the texts they
 * answer with. A version of a document never changes, so what is here stays true.
 */
export class PassageOutlines {
  readonly #store: KnowledgeStore;
  readonly #outlines = new Map<string, Outline>();
  #vocabulary = new Vocabulary();
  #words = 0;

  constructor(store: KnowledgeStore) {
    this.#store = store;
  }

  /** In the order of the keys; undefined for a passage whose document is gone. All are of the vocabulary returned. */
  async read(
    keys: readonly ChunkKey[],
  ): Promise<{ vocabulary: Vocabulary; passages: (OutlinedPassage | undefined)[] }> {
    const unknown = keys.filter((key) => !this.#outlines.has(nameOf(key)));
    const read = unknown.length === 0 ? [] : await this.#store.passages(unknown);
    if (this.#words > maxWords || this.#vocabulary.size > maxTerms) this.#forgetAll();
    const vocabulary = this.#vocabulary;
    const fresh = new Map(read.map((passage) => [nameOf(passage), passage]));
    const passages = keys.map((key): OutlinedPassage | undefined => {
      const name = nameOf(key);
      const passage = fresh.get(name);
      const outline = this.#outlines.get(name) ?? (passage && this.#add(name, passage));
      return outline && { outline, passage };
    });
    // Forgotten a moment ago, while others were read: the few are read once more.
    const lost = keys.filter((_key, index) => !passages[index]).filter((key) => !unknown.includes(key));
    return lost.length === 0 ? { vocabulary, passages } : this.read(keys);
  }

  #add(name: string, passage: StoredPassage): Outline {
    const { heading, text, document } = passage;
    const outline = outlineOf(this.#vocabulary, { title: document.title, heading, text });
    this.#outlines.set(name, outline);
    this.#words += outline.text.length + 16;
    return outline;
  }

  #forgetAll(): void {
    this.#outlines.clear();
    this.#vocabulary = new Vocabulary();
    this.#words = 0;
  }
}

function nameOf({ docNo, ordinal }: ChunkKey): string {
  return `${docNo} ${ordinal}`;
}
