/** Completes "It …" or "The folder X …" in an error message. */
export function whyUnreadable(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  switch (code) {
    case 'ENOENT':
      return 'does not exist';
    case 'ENOTDIR':
      return 'is not a folder';
    case 'EACCES':
    case 'EPERM':
      return 'is not readable by this user';
    case 'EMFILE':
    case 'ENFILE':
      return 'cannot be opened because too many files are open';
    case 'ELOOP':
      return 'is a link that points back to itself';
    default:
      return `cannot be read (${code || 'unknown error'})`;
  }
}

/** Files whose text has to be extracted. Everything else is text already. */
const extracted = /\.(?:pdf|docx|pptx|xlsx)$/i;
/** Larger text files are not read: the indexing thread holds a whole file in memory. */
export const maxTextBytes = 100_000_000;

/** Returns why a file is too large; undefined if it is not. `max_extract_bytes` applies only to files whose text is extracted. */
export function whyTooLarge(path: string, bytes: number, maxExtractBytes: number): string | undefined {
  if (!extracted.test(path))
    return bytes > maxTextBytes
      ? `It has ${bytes} bytes, but a text file may have at most ${maxTextBytes}.`
      : undefined;
  return bytes > maxExtractBytes
    ? `It has ${bytes} bytes, but max_extract_bytes allows ${maxExtractBytes}.`
    : undefined;
}

export function isGone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
