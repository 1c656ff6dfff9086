import { createInterface, type Interface } from 'node:readline';
import { isTerminal } from './ask.ts';
import type { CliContext } from './context.ts';

interface NextLine {
  prompt?: string;
  /** Already typed, for the person to change. */
  text?: string;
  signal?: AbortSignal;
}

/** The lines that a person types, or that come through a pipe, one at a time. */
export class LineReader {
  readonly #lines: Interface;
  readonly #isTerminal: boolean;
  #waiting: string[] = [];
  #wake: (() => void) | undefined;
  #isClosed = false;

  /** `onInterrupt`: Ctrl-C at a terminal, which is no signal while lines are edited. */
  constructor(context: CliContext, onInterrupt: () => void) {
    this.#isTerminal = isTerminal(context);
    // The prompt goes to stderr, so that what is printed can be piped.
    const output = this.#isTerminal ? { output: context.stderr } : {};
    this.#lines = createInterface({ input: context.stdin, ...output, terminal: this.#isTerminal });
    this.#lines.on('SIGINT', onInterrupt);
    this.#lines.on('line', (line) => {
      this.#waiting.push(line);
      this.#wake?.();
    });
    this.#lines.once('close', () => {
      this.#isClosed = true;
      this.#wake?.();
    });
  }

  /** Null when there are no more. Rejects with the signal's reason. */
  async next({ prompt = '', text = '', signal }: NextLine = {}): Promise<string | null> {
    signal?.throwIfAborted();
    if (this.#isTerminal && !this.#isClosed && this.#waiting.length === 0) {
      this.#lines.setPrompt(prompt);
      this.#lines.prompt();
      if (text !== '') this.#lines.write(text);
    }
    while (this.#waiting.length === 0 && !this.#isClosed) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        signal?.addEventListener('abort', () => resolve(), { once: true });
      });
      signal?.throwIfAborted();
    }
    return this.#waiting.shift() ?? null;
  }

  /** What was typed before a question was asked is no answer to it. */
  forget(): void {
    this.#waiting = [];
  }

  close(): void {
    this.#lines.close();
  }
}
