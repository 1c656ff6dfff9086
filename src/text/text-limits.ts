import { HubError } from '../base/hub-error.ts';

/** The maximum number of characters in one file. A small compressed file can expand to more than the machine's memory. */
export const maxText = 20_000_000;
export const maxPages = 5_000;

export function tooMuchText(name: string): HubError {
  return new HubError(
    'INVALID_FORMAT',
    `"${name}" contains more than ${maxText / 1_000_000} MB of text and was not read. Split it into smaller files, or exclude it with exclude_globs.`,
  );
}

export function brokenFile(name: string, format: string, cause: unknown): HubError {
  return new HubError(
    'INVALID_FORMAT',
    `"${name}" cannot be read as ${format}: the file is damaged or has another format. Open it in the program that created it and save it again.`,
    { cause },
  );
}
