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
      return 'is not readable for this user';
    case 'EMFILE':
    case 'ENFILE':
      return 'cannot be opened because too many files are open';
    case 'ELOOP':
      return 'is a link that points back to itself';
    default:
      return `cannot be read (${code || 'unknown error'})`;
  }
}

export function tooLarge(bytes: number, maxBytes: number): string {
  return `It has ${bytes} bytes, but max_extract_bytes allows ${maxBytes}.`;
}

export function isGone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
