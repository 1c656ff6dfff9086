import { homedir } from 'node:os';
import pc from 'picocolors';
import { forTerminal } from './text-width.ts';

/** The parts of the process that a command uses. */
export interface CliContext {
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  home: string;
  stdin: NodeJS.ReadStream;
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
  /** What the command ends with, unless a signal ends it. */
  exitCode: number;
  /** Settles when the log records so far are written. */
  logged?: Promise<unknown>;
}

export function processContext(): CliContext {
  const { env, stdin, stdout, stderr } = process;
  return { env, cwd: process.cwd(), home: homedir(), stdin, stdout, stderr, exitCode: 0 };
}

/** Exits quietly when the reader closes the pipe (`zoo agent list | head -1`). Fails on other errors, such as a full disk. */
export function endWithReader(context: CliContext): void {
  context.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    const reason = error.code === 'ENOSPC' ? 'no space left' : error.message;
    context.stderr.write(`zoo: Could not write the output: ${reason}.\n`);
    process.exit(1);
  });
  // Errors of stderr cannot be reported anywhere.
  context.stderr.on('error', () => {});
}

export function printLine(context: CliContext, line = ''): void {
  context.stdout.write(`${line}\n`);
}

export function printJson(context: CliContext, value: unknown): void {
  printLine(context, forTerminal(context, JSON.stringify(value, null, 2)));
}

/** Returns colors for a terminal, and none elsewhere. */
export function colorsFor(context: CliContext, stream: NodeJS.WriteStream = context.stdout) {
  const isColored = stream.isTTY === true && !context.env.NO_COLOR && context.env.TERM !== 'dumb';
  return pc.createColors(isColored);
}
