/** Completes "It …" or "The folder X …" for a person. */
export function whyUnreadable(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  switch (code) {
    case 'ENOENT':
      return 'does not exist';
    case 'ENOTDIR':
      return 'is not a folder';
    case 'EACCES':
    case 'EPERM':
      return 'may not be read by this user';
    case 'EMFILE':
    case 'ENFILE':
      return 'cannot be opened now: too many files are open';
    case 'ELOOP':
      return 'is a link that leads back to itself';
    default:
      return `cannot be read (${code || 'unknown error'})`;
  }
}

export function tooLarge(bytes: number, maxBytes: number): string {
  return `It has ${bytes} bytes; max_extract_bytes allows ${maxBytes}.`;
}

export function isGone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
