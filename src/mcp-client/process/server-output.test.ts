import { describe, expect, it } from 'vitest';
import { cutLines, LastWords } from './server-output.ts';

function cut(maxBytes: number) {
  const lines: string[] = [];
  const heads: string[] = [];
  const take = cutLines({
    maxBytes,
    onLine: (line) => lines.push(line.toString()),
    onTooLong: (head) => heads.push(head.toString()),
  });
  return { lines, heads, take: (text: string | Buffer) => take(Buffer.from(text)) };
}

it('lines are complete wherever the bytes are split, even within a character', () => {
  const text = 'first\n\nzweite Zeile: ü€😀\nlast\nrest without end';
  const bytes = Buffer.from(text);
  for (let at = 1; at < bytes.length; at += 1) {
    const { lines, take } = cut(100);
    take(bytes.subarray(0, at));
    take(bytes.subarray(at));
    expect(lines).toEqual(['first', '', 'zweite Zeile: ü€😀', 'last']);
  }
});

it('a line over the limit is reported at once and only once, and the next line is read', () => {
  const { lines, heads, take } = cut(10);
  take('0123456789\n');
  take('01234');
  take('56789');
  expect(heads).toEqual([]);
  take('a');
  expect(heads).toEqual(['0123456789a']);
  take('more and more');
  take(' of it\nnext\n');
  take('another that is too long\nand\n');
  expect(lines).toEqual(['0123456789', 'next', 'and']);
  expect(heads).toEqual(['0123456789a', 'another that is too long']);
});

function told(text: string, mask = (line: string) => line): string {
  const words = new LastWords();
  for (const line of text.split('\n')) if (line.trim() !== '') words.add(line);
  return words.summarize(mask);
}

describe('why a process ended', () => {
  it.each([
    [
      'Node without a module',
      `node:internal/modules/cjs/loader:1386
  throw err;
  ^

Error: Cannot find module '/srv/tools/server.js'
    at Function._resolveFilename (node:internal/modules/cjs/loader:1383:15)
    at node:internal/main/run_main_module:36:49 {
  code: 'MODULE_NOT_FOUND',
  requireStack: []
}

Node.js v24.9.0`,
      "Error: Cannot find module '/srv/tools/server.js'",
    ],
    [
      'Node with a module that misses another',
      `Error: Cannot find module 'left-pad'
Require stack:
- /srv/tools/server.js
    at Function._resolveFilename (node:internal/modules/cjs/loader:1383:15) {
  code: 'MODULE_NOT_FOUND',
  requireStack: [ '/srv/tools/server.js' ]
}`,
      "Error: Cannot find module 'left-pad'",
    ],
    [
      'Node with a mistake in a file',
      `file:///srv/server.mjs:3
const x = ;
          ^

SyntaxError: Unexpected token ';'
    at compileSourceTextModule (node:internal/modules/esm/utils:318:16)

Node.js v24.9.0`,
      "SyntaxError: Unexpected token ';'",
    ],
    [
      'Python',
      `Traceback (most recent call last):
  File "/srv/server.py", line 1, in <module>
    import mcp
ModuleNotFoundError: No module named 'mcp'`,
      "ModuleNotFoundError: No module named 'mcp'",
    ],
    [
      'npx',
      `npm error code E404
npm error 404 Not Found - GET https://registry.npmjs.org/no-such-server - Not found
npm error 404  'no-such-server@*' is not in this registry.
npm error A complete log of this run can be found in: /home/me/.npm/_logs/x.log`,
      "npm error 404 Not Found - GET https://registry.npmjs.org/no-such-server - Not found | npm error 404  'no-such-server@*' is not in this registry.",
    ],
    ['a shell', 'sh: 1: uvx: not found', 'sh: 1: uvx: not found'],
    [
      'Go',
      'panic: API_KEY is not set\n\ngoroutine 1 [running]:\nmain.main()',
      'panic: API_KEY is not set | main.main()',
    ],
    [
      'its own words',
      'Starting\nUsage: server FOLDER\nNo folder was given.',
      'Starting | Usage: server FOLDER | No folder was given.',
    ],
    ['nothing', '', ''],
  ])('by %s', (_, text, expected) => {
    expect(told(text)).toBe(expected);
  });

  it('contains no half of a secret: lines are masked before they are cut', () => {
    const secret = 'sk-0123456789';
    const line = `Error: ${'x'.repeat(288)}${secret} is not a key`;
    const text = told(line, (each) => each.replaceAll(secret, '***'));
    expect(text).not.toContain('sk-0');
    expect(text).toHaveLength(301);
  });

  it('comes from the newest lines only', () => {
    const words = new LastWords();
    words.add('Error: old');
    for (let index = 0; index < 60; index += 1) words.add(`line ${index}`);
    expect(words.summarize((line) => line)).toBe('line 57 | line 58 | line 59');
  });
});
