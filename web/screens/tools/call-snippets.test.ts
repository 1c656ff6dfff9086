import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { cliSnippet, curlSnippet, shellQuote } from './call-snippets.ts';

const call = {
  tool: 'search',
  input: { query: "it's $HOME" },
  as: { kind: 'user' } as const,
  url: 'http://127.0.0.1:7331',
};

describe('a call to copy', () => {
  it('for the command line', () => {
    expect(cliSnippet({ ...call, input: {} })).toBe('zoo tool call search');
    expect(cliSnippet({ ...call, as: { kind: 'agent', id: 'writer' } })).toBe(
      `zoo tool call search --json-input '{"query":"it'\\''s $HOME"}' --agent writer`,
    );
  });

  it('for curl, as the user, in an agent’s scope, or as a member', () => {
    expect(curlSnippet({ ...call, input: {} }).split(' \\\n  ')).toEqual([
      'curl -X POST http://127.0.0.1:7331/tools/search',
      "-H 'Content-Type: application/json'",
      "-d '{}'",
    ]);
    expect(curlSnippet({ ...call, as: { kind: 'agent', id: 'a b' } })).toContain(
      "'http://127.0.0.1:7331/tools/search?agent=a%20b'",
    );
    expect(curlSnippet({ ...call, as: { kind: 'member', id: 'w' } })).toContain(
      '-H "Authorization: Bearer $ZOO_MEMBER_TOKEN"',
    );
  });

  it.each(["it's", '$(touch x) `x` "y" \\', '', 'a\nb', 'ünï 🦓', '-x'])('a shell reads %j back unchanged', (text) => {
    const read = execFileSync('/bin/sh', ['-c', `printf '%s.' ${shellQuote(text)}`], { encoding: 'utf8' });
    expect(read).toBe(`${text}.`);
  });
});
