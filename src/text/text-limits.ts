import { HubError } from '../base/hub-error.ts';

/** Characters of text that one file may give; a small file can be made to unfold into more than a machine has memory. */
export const maxText = 20_000_000;
export const maxPages = 5_000;

export function tooMuchText(name: string): HubError {
  return new HubError(
    'INVALID_FORMAT',
    `"${name}" holds more than ${maxText / 1_000_000} MB of text and was not read. Split it into smaller files, or exclude it by exclude_globs.`,
  );
}

export function brokenFile(name: string, format: string, cause: unknown): HubError {
  return new HubError(
    'INVALID_FORMAT',
    `"${name}" cannot be read as ${format}: the file is damaged or of another kind. Open it in the program that made it and save it anew.`,
    { cause },
  );
}
