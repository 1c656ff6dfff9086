import { expect, test } from 'vitest';
import { readSpecs } from './server-specs.ts';

function problemsOf(raw: unknown, lines: Record<string, number>): { place: string; message: string }[] {
  const server = { name: 'files', definedIn: 'zoo.toml [mcp_servers.files]', raw, file: 'zoo.toml', lines };
  return readSpecs({ servers: [server] }, []).problems;
}

test('a problem names file and line', () => {
  expect(problemsOf({ command: 'node', trust: 'maybe', start: 'later' }, { '': 4, trust: 6, start: 7 })).toEqual([
    { place: 'zoo.toml', message: expect.stringMatching(/^zoo\.toml:6: Server "files": trust: .+; start: .+\.$/) },
  ]);
  expect(problemsOf({ command: 'node', args: [1] }, { '': 4, args: 5 })[0]?.message).toMatch(
    /^zoo\.toml:5: Server "files": args\[0\]: /,
  );
  expect(problemsOf({ colour: 'red' }, { '': 4, colour: 5 })[0]?.message).toBe(
    'zoo.toml:4: Server "files": needs "command" or "url" (colour: is unknown and ignored).',
  );
});

test('without lines, a problem names where the server is defined', () => {
  const server = { name: 'files', definedIn: 'zoo.toml [mcp_servers.files]', raw: {} };
  expect(readSpecs({ servers: [server] }, []).problems).toEqual([
    { place: server.definedIn, message: 'Server "files": needs "command" or "url".' },
  ]);
});
