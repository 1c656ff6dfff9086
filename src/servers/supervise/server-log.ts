import type { Redact } from '../../tools/redact/redact.ts';
import type { ServerLogLine } from '../servers.ts';

const maxLines = 500;
const longestLine = 2_000;
/** Secrets are looked for in more than is kept: one that was cut would not be known as one. */
const longestRead = 4 * longestLine;

/** The newest lines that a server wrote. */
export class ServerLog {
  #lines: ServerLogLine[] = [];

  add(line: { at: number; level: string; text: string }, redact: Redact): void {
    const read = line.text.slice(0, longestRead);
    const clean = redact(read);
    const text =
      clean.length > longestLine || read.length < line.text.length ? `${clean.slice(0, longestLine - 1)}…` : clean;
    this.#lines.push({ at: line.at, level: line.level.slice(0, 20), text });
    // Dropped in batches: one by one would move all of them each time.
    if (this.#lines.length >= 2 * maxLines) this.#lines = this.#lines.slice(-maxLines);
  }

  newest(): ServerLogLine[] {
    return this.#lines.slice(-maxLines);
  }
}
