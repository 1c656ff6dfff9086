const newline = 10;

export interface CappedLines {
  /** Longer lines are never kept whole, however they arrive. */
  maxBytes: number;
  onLine(line: Buffer): void;
  /** Its first bytes, as soon as the limit is passed; the rest up to the next line is skipped. */
  onTooLong(head: Buffer): void;
}

/** Cuts bytes into lines while they come in. Memory never exceeds `maxBytes` and one chunk. */
export function cutLines({ maxBytes, onLine, onTooLong }: CappedLines): (chunk: Buffer) => void {
  let kept: Buffer[] = [];
  let keptBytes = 0;
  let isSkipping = false;

  function take(piece: Buffer): void {
    if (isSkipping) return;
    if (keptBytes + piece.length > maxBytes) {
      // Only a head is handed on: joining megabytes that are thrown away would cost as much as keeping them.
      const head = Buffer.concat([...kept, piece.subarray(0, headBytes)].slice(0, 4)).subarray(0, headBytes);
      drop();
      isSkipping = true;
      onTooLong(head);
      return;
    }
    kept.push(piece);
    keptBytes += piece.length;
  }

  function drop(): void {
    kept = [];
    keptBytes = 0;
  }

  return (chunk) => {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      const piece = chunk.subarray(start, end);
      start = end + 1;
      if (keptBytes === 0 && !isSkipping && piece.length <= maxBytes) {
        onLine(piece);
        continue;
      }
      take(piece);
      if (isSkipping) {
        isSkipping = false;
        continue;
      }
      const line = Buffer.concat(kept, keptBytes);
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

/** Frames, carets, brackets, and what runtimes and package managers print around the one line that says what happened. */
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

/** How programs begin the line that says why they end. */
const headline =
  /^(?:\[?(?:error|fatal|critical|panic)\b|Uncaught\b|(?:[\w$]+\.)*[\w$]*(?:Error|Exception|Exit|Interrupt)\b|thread '.*' panicked|npm (?:error|ERR!)|\S+: (?:.*: )?(?:not found|command not found|No such file|Permission denied|cannot ))/i;

/** What a process wrote to stderr before it ended, of which only the lines that tell a person why are shown. */
export class LastWords {
  readonly #lines: string[] = [];

  add(line: string): void {
    this.#lines.push(line);
    if (this.#lines.length > maxLines) this.#lines.shift();
  }

  /** Empty when it wrote nothing. `mask` sees whole lines: half a secret would not be known as one. */
  tell(mask: (text: string) => string): string {
    const telling = this.#lines.filter((line) => !noise.some((each) => each.test(line)));
    const at = telling.findLastIndex((line) => headline.test(line.trim()));
    const first = at === -1 ? -maxShown : firstOfGroup(telling, at);
    const shown = telling.slice(first).slice(0, maxShown);
    return shown.map((line) => cut(mask(line.trim()))).join(' | ');
  }
}

/** Several lines that each begin like one belong together, as npm writes them. */
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

/** Hands lines on, each cut to a length, and at most so many in a second: a server that writes without end fills nothing. */
export function limitLogLines(onLog: (line: { level: string; text: string }) => void): LogLines {
  let second = 0;
  let count = 0;
  let dropped = 0;
  return (level, text) => {
    const now = Math.floor(performance.now() / 1000);
    if (now !== second) {
      if (dropped > 0) onLog({ level: 'warning', text: `${dropped} lines in one second were left out.` });
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
