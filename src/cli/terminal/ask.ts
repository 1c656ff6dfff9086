import { createInterface } from 'node:readline/promises';
import type { CliContext } from './context.ts';
import { UsageError } from './report-error.ts';

/** Asks the user to choose a key; its first letters are enough. Throws UsageError without a terminal. */
export async function askOne(
  context: CliContext,
  question: string,
  keys: readonly string[],
  signal?: AbortSignal,
): Promise<string> {
  if (!isTerminal(context))
    throw new UsageError('This command asks for confirmation and needs a terminal. Use --yes to confirm.');
  // Writes the question to stderr, so that stdout can be piped.
  const terminal = createInterface({ input: context.stdin, output: context.stderr });
  try {
    for (;;) {
      const options = signal ? { signal } : {};
      const typed = (await terminal.question(`${question} [${keys.join('/')}] `, options)).trim().toLowerCase();
      const chosen = keys.find((key) => typed !== '' && key.startsWith(typed));
      if (chosen !== undefined) return chosen;
    }
  } finally {
    terminal.close();
  }
}

/** Shows a prompt and waits for a line. */
export async function askLine(context: CliContext, prompt: string, signal?: AbortSignal): Promise<string> {
  const terminal = createInterface({ input: context.stdin, output: context.stderr });
  try {
    return await terminal.question(prompt, signal ? { signal } : {});
  } finally {
    terminal.close();
  }
}

export async function askYesNo(context: CliContext, question: string): Promise<boolean> {
  return (await askOne(context, question, ['yes', 'no'])) === 'yes';
}

export function isTerminal(context: CliContext): boolean {
  return context.stdin.isTTY === true && context.stderr.isTTY === true;
}
