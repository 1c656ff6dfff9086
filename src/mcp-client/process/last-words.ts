const maxLines = 60;
const maxShown = 3;
const maxCharacters = 300;

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
  return text.length > maxCharacters ? `${text.slice(0, maxCharacters)}…` : text;
}
