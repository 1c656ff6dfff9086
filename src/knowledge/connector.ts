import { z } from 'zod';
import type { SourceType } from './document.ts';

/** Where documents come from. */
export interface Connector {
  readonly type: SourceType;
  readonly name: string;
  /** For people: the folder, the address, the script. */
  readonly place: string;
  /**
   * Every item that is there now, in any order. It ends without an error only when it has seen everything, because
   * what it did not name is removed. Throws HubError with a sentence for people when the source cannot be read.
   */
  scan(context: ScanContext): AsyncIterable<ScannedItem>;
  /** Why a file is read or left out. Absent where only the source itself knows. Throws NOT_FOUND for a file it does not have. */
  explain?(path: string, signal: AbortSignal): Promise<FileExplanation>;
  /**
   * Calls back some time after something below it changed; `onFailure` hears why it can only look now and then. Absent
   * where only a scan can tell.
   */
  watch?(onChange: () => void, onFailure: (error: unknown) => void): { close(): Promise<void> };
}

export interface ScanContext {
  signal: AbortSignal;
  /** One item that cannot be had; the others go on, and what is known of it stays. */
  fail(sourceId: string, message: string): void;
  /** A folder that cannot be read, or what may be one; the others go on, and what is known of it and of everything below it stays. */
  failFolder(path: string, message: string): void;
  /** What is there and left out on purpose. What is known of it, or of everything below a folder, is removed. */
  skip(path: string, reason: SkipReason, options?: { isFolder: boolean }): void;
}

/** Why a file or folder is left out: ignore files, its secret look, the globs of the config, a dot, the list of generated folders, a type that cannot be read, a link that is not followed. */
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
  /** A sentence for people, with the rule that decided. */
  message: z.string(),
});
export type FileExplanation = z.infer<typeof FileExplanation>;

export interface ScannedItem {
  sourceId: string;
  /** Another value whenever the content may be another: size and times, a blob's id. The same one is not read again. */
  version: string;
  updatedAt: number;
  url: string | null;
  /** Where the source knows better than the text. */
  title?: string;
  tags?: string[];
  metadata?: Record<string, unknown>;
  /** A MIME type, where the name does not tell. */
  contentType?: string;
  /** The content. Throws HubError with a sentence for people. */
  read(signal: AbortSignal): Promise<Uint8Array | string>;
}

export function sourceLabel({ type, name }: { type: SourceType; name: string }): string {
  return `${type}:${name}`;
}

/** The name of a source that a person adds, the second part of its label. */
export const SourceName = z
  .string()
  .regex(
    /^[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,62}[A-Za-z0-9])?$/,
    'must be 1–64 of a–z A–Z 0–9 _ . - and begin and end with a letter or digit',
  );
