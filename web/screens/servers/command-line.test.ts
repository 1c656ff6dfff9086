import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatCommandLine, parseCommandLine } from './command-line.ts';

const read = (text: string) => {
  const parsed = parseCommandLine(text);
  return parsed.ok
    ? [
        ...Object.entries(parsed.line.env).map(([name, value]) => `${name}=${value}`),
        parsed.line.command,
        ...parsed.line.args,
      ]
    : parsed.problem;
};

describe('parseCommandLine', () => {
  it.each([
    ['npx -y server', ['npx', '-y', 'server']],
    ['  npx\t-y \n server  ', ['npx', '-y', 'server']],
    ['"/Program Files/node" a', ['/Program Files/node', 'a']],
    ['node \'it\'\'s\' "a \\"b\\""', ['node', 'its', 'a "b"']],
    ['C:\\tools\\server.exe --root C:\\data', ['C:\\tools\\server.exe', '--root', 'C:\\data']],
    ['my\\ server', ['my server']],
    ["server ''", ['server', '']],
    ['KEY=%{SECRET} MODE="two words" server --x=1', ['KEY=%{SECRET}', 'MODE=two words', 'server', '--x=1']],
    ['echo $(rm -rf /) | cat; `id`', ['echo', '$(rm', '-rf', '/)', '|', 'cat;', '`id`']],
  ])('reads %s', (text, words) => {
    expect(read(text)).toEqual(words);
  });

  it.each([
    ['', 'Enter the command that starts the server.'],
    ['KEY=value', 'Enter the command that starts the server.'],
    ['node "open', 'Close the quote (").'],
  ])('explains what is wrong with “%s”', (text, problem) => {
    expect(read(text)).toBe(problem);
  });

  it('parses a formatted line back to the same words', () => {
    const word = fc.string({ unit: fc.constantFrom('a', ' ', '"', "'", '\\', '$', '\n', 'é', '-') });
    const command = fc.string({ unit: fc.constantFrom('a', ' ', '=', '\\', "'", '/'), minLength: 1 });
    fc.assert(
      fc.property(command, fc.array(word), (first, rest) => {
        expect(parseCommandLine(formatCommandLine(first, rest))).toEqual({
          ok: true,
          line: { command: first, args: rest, env: {} },
        });
      }),
    );
  });
});
