import { homedir } from 'node:os';
import pc from 'picocolors';
import { forTerminal } from './text-width.ts';

/** What a command may touch of the process it runs in. */
export interface CliContext {
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  home: string;
  stdin: NodeJS.ReadStream;
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
}

export function processContext(): CliContext {
  const { env, stdin, stdout, stderr } = process;
  return { env, cwd: process.cwd(), home: homedir(), stdin, stdout, stderr };
}

/** A reader that has seen enough (`zoo agent list | head -1`) is no failure; a full disk is one. */
export function endWithReader(context: CliContext): void {
  context.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    const reason = error.code === 'ENOSPC' ? 'no space left' : error.message;
    context.stderr.write(`zoo: Could not write the output: ${reason}.\n`);
    process.exit(1);
  });
  // Whoever cannot be told anything is not told that either.
  context.stderr.on('error', () => {});
}

export function printLine(context: CliContext, line = ''): void {
  context.stdout.write(`${line}\n`);
}

export function printJson(context: CliContext, value: unknown): void {
  printLine(context, forTerminal(context, JSON.stringify(value, null, 2)));
}

/** Colours only for a person at a terminal. */
export function colorsFor(context: CliContext, stream: NodeJS.WriteStream = context.stdout) {
  const isWanted = stream.isTTY === true && !context.env.NO_COLOR && context.env.TERM !== 'dumb';
  return pc.createColors(isWanted);
}
