/** The contents of the knowledge base. Times are milliseconds since the epoch. A source is named `type:name`, such as `git:runbooks`. */

export const sourceTypes = ['filesystem', 'git', 's3', 'script', 'custom'] as const;
export type SourceType = (typeof sourceTypes)[number];

/** The current version of a document. */
export interface KnowledgeDocument {
  /** Stable: derived from source and `sourceId`. */
  id: string;
  source: string;
  /** The name inside the source: a path, or the id that a script gives. */
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
  /** The length of the text in characters. */
  size: number;
}

/** A passage of a document: the unit that is searched, shown and given to agents. */
export interface Chunk {
  /** From 0, in the order of the text. */
  ordinal: number;
  /** The headings above it, outermost first. */
  heading: string[];
  /** First and last line in the text of the document, from 1. */
  startLine: number;
  endLine: number;
  text: string;
  tokens: number;
}

/** A document that was read and cut into passages, ready to be stored. */
export interface PreparedDocument {
  title: string;
  contentType: string;
  tags: string[];
  metadata: Record<string, unknown>;
  body: string;
  chunks: Chunk[];
}

/** Returns the text that is embedded for a passage. The hash of this text is the key of the vector. */
export function embeddedText(title: string, chunk: Pick<Chunk, 'heading' | 'text'>): string {
  return [title, chunk.heading.join(' › '), chunk.text].filter((part) => part !== '').join('\n');
}
