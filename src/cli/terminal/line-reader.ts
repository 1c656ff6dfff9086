import { createInterface, type Interface } from 'node:readline';
import { isTerminal } from './ask.ts';
import type { CliContext } from './context.ts';

interface NextLine {
  prompt?: string;
  /** Text to start with, which the user can edit. */
  text?: string;
  signal?: AbortSignal;
}

/** Reads lines from a terminal or a pipe, one at a time. */
export class LineReader {
  readonly #lines: Interface;
  readonly #isTerminal: boolean;
  #waiting: string[] = [];
  #wake: (() => void) | undefined;
  #isClosed = false;

  /** `onInterrupt` is called for Ctrl-C at a terminal, which sends no signal while a line is being edited. */
  constructor(context: CliContext, onInterrupt: () => void) {
    this.#isTerminal = isTerminal(context);
    // Writes the prompt to stderr, so that stdout can be piped.
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

  /** Resolves to the next line, or to null at the end. Rejects with the signal's reason. */
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

  /** Drops lines that were typed before a question was asked. */
  forget(): void {
    this.#waiting = [];
  }

  close(): void {
    this.#lines.close();
  }
}
