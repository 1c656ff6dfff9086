import { z } from 'zod';
import type { SourceType } from './document.ts';

/** A source of documents: a folder, a repository, a script. */
export interface Connector {
  readonly type: SourceType;
  readonly name: string;
  /** The folder, URL or script, as shown to the user. */
  readonly location: string;
  /**
   * Yields every item of the source, in any order. It must end without an error only after it has seen everything,
   * because a sync removes items that the scan did not yield. Throws HubError with a message for users when the source
   * cannot be read.
   */
  scan(context: ScanContext): AsyncIterable<ScannedItem>;
  /** Explains why a file is indexed or skipped. Absent when only the source itself knows. Throws NOT_FOUND for an unknown file. */
  explain?(path: string, signal: AbortSignal): Promise<FileExplanation>;
  /**
   * Calls `onChange` shortly after a change. Calls `onFailure` with the reason when it has to fall back to polling.
   * Absent when only a scan can detect changes.
   */
  watch?(onChange: () => void, onFailure: (error: unknown) => void): { close(): Promise<void> };
}

export interface ScanContext {
  signal: AbortSignal;
  /** Reports an item that cannot be read. The scan goes on, and the indexed version of the item stays. */
  fail(sourceId: string, message: string): void;
  /** Reports an entry that cannot be read and may be a folder. The scan goes on, and everything indexed at or below this path stays. */
  failFolder(path: string, message: string): void;
  /** Reports a file or folder that is skipped on purpose. A sync removes what was indexed at or below this path. */
  skip(path: string, reason: SkipReason, options?: { isFolder: boolean }): void;
}

/** Why a file or folder is skipped: an ignore file, a name typical of secrets, the configured globs, a leading dot, a generated folder, an unreadable type, a link that is not followed. */
export const skipReasons = [
  'ignored',
  'secret',
  'excluded',
  'not_included',
  'hidden',
  'generated',
  'type',
  'link',
] as const;
export type SkipReason = (typeof skipReasons)[number];

export const FileExplanation = z.object({
  /** Relative to the source. */
  path: z.string(),
  isTaken: z.boolean(),
  reason: z.enum(skipReasons).nullable(),
  /** One sentence that names the deciding rule. */
  message: z.string(),
});
export type FileExplanation = z.infer<typeof FileExplanation>;

export interface ScannedItem {
  sourceId: string;
  /** Changes whenever the content may have changed, such as size and times, or a blob's id. An item with a known version is not read again. */
  version: string;
  updatedAt: number;
  url: string | null;
  /** Overrides the title found in the text. */
  title?: string;
  tags?: string[];
  metadata?: Record<string, unknown>;
  /** A MIME type, for names that do not reveal it. */
  contentType?: string;
  /** Returns the content. Throws HubError with a message for users. */
  read(signal: AbortSignal): Promise<Uint8Array | string>;
}

export function sourceLabel({ type, name }: { type: SourceType; name: string }): string {
  return `${type}:${name}`;
}

/** The name of a source that a user adds: the second part of its label. */
export const SourceName = z
  .string()
  .regex(
    /^[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,62}[A-Za-z0-9])?$/,
    'must be 1–64 characters from a–z A–Z 0–9 _ . - and must begin and end with a letter or digit',
  );
