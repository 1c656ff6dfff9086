import type { Redact } from '../../tools/redact/redact.ts';
import type { ServerLogLine } from '../servers.ts';

const maxLines = 500;
const maxLineLength = 2_000;
/** More text is searched for secrets than is kept: a secret that was cut in half would not be recognized. */
const maxScannedLength = 4 * maxLineLength;

/** The newest lines that a server wrote. */
export class ServerLog {
  #lines: ServerLogLine[] = [];

  add(line: { at: number; level: string; text: string }, redact: Redact): void {
    const scanned = line.text.slice(0, maxScannedLength);
    const clean = redact(scanned);
    const text =
      clean.length > maxLineLength || scanned.length < line.text.length
        ? `${clean.slice(0, maxLineLength - 1)}…`
        : clean;
    this.#lines.push({ at: line.at, level: line.level.slice(0, 20), text });
    // Old lines are dropped in batches: dropping them one by one would copy the list each time.
    if (this.#lines.length >= 2 * maxLines) this.#lines = this.#lines.slice(-maxLines);
  }

  newest(): ServerLogLine[] {
    return this.#lines.slice(-maxLines);
  }
}
