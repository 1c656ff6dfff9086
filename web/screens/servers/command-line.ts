interface CommandLine {
  command: string;
  args: string[];
  /** `NAME=value` before the command, as in a shell. */
  env: Record<string, string>;
}

export type ParsedCommandLine = { ok: true; line: CommandLine } | { ok: false; problem: string };

/**
 * Parses a command line as typed in a terminal. Quotes keep spaces. A backslash escapes only a space, a quote or
 * another backslash, so that `C:\tools\server.exe` stays unchanged. Nothing is expanded, because no shell runs it.
 */
export function parseCommandLine(text: string): ParsedCommandLine {
  const words: { text: string; startsQuoted: boolean }[] = [];
  let word: { text: string; startsQuoted: boolean } | null = null;
  let quote: string | null = null;
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (quote === null && /\s/.test(char)) {
      if (word) words.push(word);
      word = null;
      continue;
    }
    word ??= { text: '', startsQuoted: char === '"' || char === "'" };
    if (char === quote) quote = null;
    else if (quote === null && (char === '"' || char === "'")) {
      quote = char;
    } else if (char === '\\' && quote !== "'" && isEscapable(text.charAt(at + 1), quote)) {
      at += 1;
      word.text += text.charAt(at);
    } else word.text += char;
  }
  if (quote !== null) return { ok: false, problem: `Close the quote (${quote}).` };
  if (word) words.push(word);
  const env: Record<string, string> = {};
  let first = 0;
  for (; first < words.length; first += 1) {
    const match = assignment.exec(words[first]?.text ?? '');
    if (!match?.[1] || words[first]?.startsQuoted) break;
    env[match[1]] = match[2] ?? '';
  }
  const [command, ...args] = words.slice(first).map((each) => each.text);
  if (command === undefined || command === '')
    return { ok: false, problem: 'Enter the command that starts the server.' };
  return { ok: true, line: { command, args, env } };
}

const assignment = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/s;

/** Formats a command line that parses to the same command and arguments. */
export function formatCommandLine(command: string, args: readonly string[]): string {
  return [command, ...args].map(quoteWord).join(' ');
}

function isEscapable(char: string, quote: string | null): boolean {
  return quote === null ? /[\s"'\\]/.test(char) : char === '"' || char === '\\';
}

function quoteWord(word: string): string {
  // Single quotes keep everything except themselves. A double backslash would be parsed as one.
  if (word !== '' && !/[\s"']|\\[\s"'\\]|\\$/.test(word) && !assignment.test(word)) return word;
  return `'${word.replaceAll("'", `'"'"'`)}'`;
}
