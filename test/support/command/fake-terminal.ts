import { PassThrough } from 'node:stream';
import type { CliContext } from '../../../src/cli/terminal/context.ts';

export interface FakeTerminal {
  context: CliContext;
  /** Sends key presses: "\r" is Enter, "\x03" is Ctrl-C. */
  press(keys: string): void;
  /** Resolves when the output since the last match matches. The next call starts after this match. */
  shows(pattern: RegExp): Promise<string>;
  /** Returns all output so far, without colours and cursor movements. */
  shown(): string;
}

/** Simulates a terminal for commands that run in this process, without a pseudo-terminal. */
export function fakeTerminal(options: { cwd: string; env: Record<string, string> }): FakeTerminal {
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const screen = Object.assign(new PassThrough(), { isTTY: true, columns: 200 });
  let text = '';
  let seen = 0;
  const listeners = new Set<() => void>();
  screen.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    for (const listener of listeners) listener();
  });
  const plain = () => text.replaceAll(escapes, '').replaceAll('\r', '');
  return {
    // Commands use only the common stream API and `isTTY`.
    context: {
      ...options,
      home: options.cwd,
      stdin: stdin as unknown as CliContext['stdin'],
      stdout: screen as unknown as CliContext['stdout'],
      stderr: screen as unknown as CliContext['stderr'],
      exitCode: 0,
    },
    press: (keys) => void stdin.write(keys),
    shown: plain,
    shows: (pattern) =>
      new Promise((resolve) => {
        const look = () => {
          const match = pattern.exec(plain().slice(seen));
          if (!match) return;
          listeners.delete(look);
          seen += match.index + match[0].length;
          resolve(match[0]);
        };
        listeners.add(look);
        look();
      }),
  };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
const escapes = /\x1b\[[0-9;?]*[A-Za-z]/g;
