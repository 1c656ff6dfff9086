const newline = 10;

export interface CappedLines {
  /** Longer lines are never buffered completely. */
  maxBytes: number;
  onLine(line: Buffer): void;
  /** Called with the first bytes of a line as soon as it exceeds the limit; the rest of the line is skipped. */
  onTooLong(head: Buffer): void;
}

/** Splits bytes into lines as they arrive. Never buffers more than `maxBytes` and one chunk. */
export function cutLines({ maxBytes, onLine, onTooLong }: CappedLines): (chunk: Buffer) => void {
  let buffered: Buffer[] = [];
  let bufferedBytes = 0;
  let isSkipping = false;

  function take(piece: Buffer): void {
    if (isSkipping) return;
    if (bufferedBytes + piece.length > maxBytes) {
      // Passes on only the beginning: joining megabytes just to drop them would be expensive.
      const head = Buffer.concat([...buffered, piece.subarray(0, headBytes)].slice(0, 4)).subarray(0, headBytes);
      drop();
      isSkipping = true;
      onTooLong(head);
      return;
    }
    buffered.push(piece);
    bufferedBytes += piece.length;
  }

  function drop(): void {
    buffered = [];
    bufferedBytes = 0;
  }

  return (chunk) => {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      const piece = chunk.subarray(start, end);
      start = end + 1;
      if (bufferedBytes === 0 && !isSkipping && piece.length <= maxBytes) {
        onLine(piece);
        continue;
      }
      take(piece);
      if (isSkipping) {
        isSkipping = false;
        continue;
      }
      const line = Buffer.concat(buffered, bufferedBytes);
      drop();
      onLine(line);
    }
    if (start < chunk.length) take(start === 0 ? chunk : chunk.subarray(start));
  };
}

const headBytes = 4_096;

const maxLines = 60;
const maxShown = 3;
const maxShownCharacters = 300;

/** Stack frames, carets, brackets, and other lines that runtimes and package managers print around the actual error. */
const noise = [
  /^\s+at\s/,
  /^\s*(?:File "|\.\.\. \d+ more|Require stack:|- [/\\~]|stack backtrace:|note: run with)/,
  /^[\s^~|{}[\]().,;:=*-]*$/,
  /^(?:node:|file:\/\/|[/\\]|[A-Z]:\\).*:\d+(?::\d+)?$/,
  /^\s*throw\b/,
  /^\s*(?:code|errno|syscall|path|requireStack|spawnargs|url|dest|cause)\s*:\s/,
  /^Node\.js v\d/,
  /^npm (?:error|ERR!)\s+(?:A complete log|code\b|path\b|errno\b|$)/,
  /^\s*goroutine \d+/,
  /^\s*Traceback \(most recent call last\)/,
];

/** How programs begin the line with the actual error. */
const headline =
  /^(?:\[?(?:error|fatal|critical|panic)\b|Uncaught\b|(?:[\w$]+\.)*[\w$]*(?:Error|Exception|Exit|Interrupt)\b|thread '.*' panicked|npm (?:error|ERR!)|\S+: (?:.*: )?(?:not found|command not found|No such file|Permission denied|cannot ))/i;

/** The last lines that a process wrote to stderr, reduced to those that explain why it ended. */
export class LastWords {
  readonly #lines: string[] = [];

  add(line: string): void {
    this.#lines.push(line);
    if (this.#lines.length > maxLines) this.#lines.shift();
  }

  /** Returns an empty string if the process wrote nothing. `mask` sees whole lines, because half a secret would not be recognized. */
  summarize(mask: (text: string) => string): string {
    const relevant = this.#lines.filter((line) => !noise.some((each) => each.test(line)));
    const position = relevant.findLastIndex((line) => headline.test(line.trim()));
    const first = position === -1 ? -maxShown : firstOfGroup(relevant, position);
    const shown = relevant.slice(first).slice(0, maxShown);
    return shown.map((line) => cut(mask(line.trim()))).join(' | ');
  }
}

/** Consecutive error lines belong together; npm writes them that way. */
function firstOfGroup(lines: readonly string[], last: number): number {
  let first = last;
  while (first > 0 && last - first < maxShown - 1 && headline.test(lines[first - 1]?.trim() ?? '')) first -= 1;
  return first;
}

function cut(text: string): string {
  return text.length > maxShownCharacters ? `${text.slice(0, maxShownCharacters)}…` : text;
}

const maxLogCharacters = 2_000;
const maxLogLinesPerSecond = 100;

export type LogLines = (level: string, text: string) => void;

/** Passes on log lines, limited in length and in number per second, so that a server cannot flood the log. */
export function limitLogLines(onLog: (line: { level: string; text: string }) => void): LogLines {
  let second = 0;
  let count = 0;
  let dropped = 0;
  return (level, text) => {
    const now = Math.floor(performance.now() / 1000);
    if (now !== second) {
      if (dropped > 0)
        onLog({ level: 'warning', text: `${dropped} lines were left out: the server logged too much in one second.` });
      second = now;
      count = 0;
      dropped = 0;
    }
    count += 1;
    if (count > maxLogLinesPerSecond) {
      dropped += 1;
      return;
    }
    onLog({ level, text: text.length > maxLogCharacters ? `${text.slice(0, maxLogCharacters)}…` : text });
  };
}
