/** What the knowledge base holds. Times are milliseconds since the epoch; a source is named `type:name`, as `git:runbooks`. */

export const sourceTypes = ['filesystem', 'git', 'script'] as const;
export type SourceType = (typeof sourceTypes)[number];

/** A document as it is now. */
export interface KnowledgeDocument {
  /** The same for as long as source and `sourceId` are. */
  id: string;
  source: string;
  /** Its name inside the source: a path, or what a script calls it. */
  sourceId: string;
  title: string;
  url: string | null;
  contentType: string;
  /** SHA-256 of the content, in hex. */
  hash: string;
  updatedAt: number;
  indexedAt: number;
  tags: string[];
  metadata: Record<string, unknown>;
  /** Number of passages. */
  chunks: number;
  /** Characters of the text. */
  size: number;
}

/** A piece of a document: what is searched, shown and given to an agent. */
export interface Chunk {
  /** From 0, in the order of the text. */
  ordinal: number;
  /** Headings from the outermost to the one it stands under. */
  heading: string[];
  /** First and last line in the text of the document, from 1. */
  startLine: number;
  endLine: number;
  text: string;
  tokens: number;
}

/** A document read, cut and ready to be stored. */
export interface PreparedDocument {
  title: string;
  contentType: string;
  tags: string[];
  metadata: Record<string, unknown>;
  body: string;
  chunks: Chunk[];
}

/** What an embedding is made of, and what its key is the hash of. */
export function embeddedText(title: string, chunk: Pick<Chunk, 'heading' | 'text'>): string {
  return [title, chunk.heading.join(' › '), chunk.text].filter((part) => part !== '').join('\n');
}
