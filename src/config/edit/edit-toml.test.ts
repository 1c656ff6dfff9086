import { describe, expect, it } from 'vitest';
import { editToml, type TomlEdit } from './edit-toml.ts';

const edit = (text: string, ...edits: TomlEdit[]) => editToml(text, edits, 'zoo.toml');
const set = (key: string, value: Extract<TomlEdit, { kind: 'set' }>['value']): TomlEdit => ({
  kind: 'set',
  path: key.split('.'),
  value,
});
const unset = (key: string): TomlEdit => ({ kind: 'unset', path: key.split('.') });

const commented = `# My hub.

[server]   # who may reach it
bind = '127.0.0.1:7331'

[log]
# The auditors want a year.
keep_days   =   365   # days
secret_env = ['A', "B"]

# Hooks.
[events.webhooks.audit]
url = "https://audit.test"
secret = "a secret text"
`;

describe('setting a value', () => {
  const cases: [name: string, text: string, edit: TomlEdit, expected: string][] = [
    [
      'replaces only the value',
      commented,
      set('log.keep_days', 30),
      commented.replace('keep_days   =   365   #', 'keep_days   =   30   #'),
    ],
    [
      'follows the other values of its table',
      commented,
      set('log.anchor_webhook', 'audit'),
      commented.replace('"B"]\n', '"B"]\nanchor_webhook = "audit"\n'),
    ],
    ['appends a missing table', commented, set('chats.keep_days', 7), `${commented}\n[chats]\nkeep_days = 7\n`],
    [
      'uses a table that has only a comment',
      '[log]\n# keep_days = 90\n',
      set('log.keep_days', 30),
      '[log]\nkeep_days = 30\n# keep_days = 90\n',
    ],
    [
      'ends an open last line',
      '[log]\nkeep_days = 1',
      set('log.secret_env', ['A']),
      '[log]\nkeep_days = 1\nsecret_env = ["A"]\n',
    ],
    [
      'keeps Windows line ends and a byte order mark',
      '\ufeff# hi\r\n[log]\r\nkeep_days = 1\r\n',
      set('runs.keep_days', 2),
      '\ufeff# hi\r\n[log]\r\nkeep_days = 1\r\n\r\n[runs]\r\nkeep_days = 2\r\n',
    ],
    [
      'writes dotted keys where those are used',
      'log.keep_days = 1\n',
      set('log.x', 'y'),
      'log.keep_days = 1\nlog.x = "y"\n',
    ],
    [
      'finds a value with a dotted key',
      'log . "keep_days" = 1 # x\n',
      set('log.keep_days', 2),
      'log . "keep_days" = 2 # x\n',
    ],
    ['keeps the indentation', '[log]\n  keep_days = 1\n', set('log.x', true), '[log]\n  keep_days = 1\n  x = true\n'],
    ['adds the table above one that exists', '[log.a]\nb = 1\n', set('log.x', 1), '[log.a]\nb = 1\n\n[log]\nx = 1\n'],
    ['puts a value without a table first', '[log]\n', set('x', 1), 'x = 1\n[log]\n'],
    [
      'is not confused by strings that look like TOML',
      "[log]\nx = '''\n[log]\nkeep_days = 1\n'''\nkeep_days = 2\n",
      set('log.keep_days', 3),
      "[log]\nx = '''\n[log]\nkeep_days = 1\n'''\nkeep_days = 3\n",
    ],
    [
      'replaces a value of several lines',
      '[log]\nx = """\na""""" # end\ny = 1\n',
      set('log.x', 'b'),
      '[log]\nx = "b" # end\ny = 1\n',
    ],
  ];
  it.each(cases)('%s', (_name, text, change, expected) => {
    expect(edit(text, change)).toBe(expected);
  });

  it('quotes keys and escapes strings', () => {
    expect(edit('', { kind: 'set', path: ['a b', 'c.d'], value: 'q"\\\u007f\n' })).toBe(
      '["a b"]\n"c.d" = "q\\"\\\\\\u007f\\n"\n',
    );
  });
});

describe('setting a list', () => {
  const list = `[permissions.WORKER]
allow = [
  "mcp__mail__*", # they answer
  # for reports
  "mcp__system__log_decision"
] # end
`;

  it('keeps the lines of the items that stay, with their comments', () => {
    expect(edit(list, set('permissions.WORKER.allow', ['mcp__mail__*', 'mcp__system__log_decision', 'search']))).toBe(
      list.replace('log_decision"\n', 'log_decision",\n  "search",\n'),
    );
    expect(edit(list, set('permissions.WORKER.allow', ['get', 'mcp__system__log_decision']))).toBe(
      list.replace('  "mcp__mail__*", # they answer\n', '  "get",\n'),
    );
    expect(edit(list, set('permissions.WORKER.allow', []))).toBe(
      '[permissions.WORKER]\nallow = [\n  # for reports\n] # end\n',
    );
  });

  it('refuses to lose a comment', () => {
    expect(() => edit(list, set('permissions.WORKER.allow', ['mcp__system__log_decision', 'mcp__mail__*']))).toThrow(
      /permissions\.WORKER\.allow cannot be changed in zoo\.toml without changing other parts/,
    );
  });

  it('writes a list without comments anew', () => {
    expect(edit('a = ["x", "y"] # c\n', set('a', ['y', 'x']))).toBe('a = ["y", "x"] # c\n');
    expect(edit('a = [\n "x", "y"\n]\n', set('a', ['y']))).toBe('a = ["y"]\n');
  });
});

describe('removing', () => {
  it('takes away a value with its line, and nothing else', () => {
    expect(edit(commented, unset('log.keep_days'))).toBe(commented.replace('keep_days   =   365   # days\n', ''));
  });

  it('takes away a table with everything below it, and leaves the comments of others', () => {
    const text = `${commented}[events.webhooks.audit.more]\nx = 1\n# about the next\n[chats]\nkeep_days = 1\n`;
    expect(edit(text, unset('events.webhooks.audit'))).toBe(
      commented.slice(0, commented.indexOf('[events')).concat('# about the next\n[chats]\nkeep_days = 1\n'),
    );
  });

  it('leaves a file without the value as it is', () => {
    expect(edit(commented, unset('runs.keep_days'))).toBe(commented);
  });
});

describe('what cannot be edited safely is refused', () => {
  const cases: [name: string, text: string, edit: TomlEdit, message: RegExp][] = [
    [
      'an inline table',
      'x = 1\nlog = { keep_days = 1 }\n',
      set('log.keep_days', 2),
      /^zoo\.toml:2: log\.keep_days is in an inline table \(log\)/,
    ],
    ['removing from one', 'log = { keep_days = 1 }\n', unset('log.keep_days'), /inline table/],
    [
      'a list of tables',
      '[[log]]\nkeep_days = 1\n',
      set('log.keep_days', 2),
      /^zoo\.toml:1: log\.keep_days is in a list of tables/,
    ],
    ['a value where a table should be', 'log = 1\n', set('log.keep_days', 2), /is in another value \(log\)/],
    ['a table where a value should be', '[log.keep_days]\nx = 1\n', set('log.keep_days', 2), /cannot be changed/],
    ['a file that is not TOML', '[log\n', set('log.keep_days', 2), /^zoo\.toml:1: invalid TOML/],
  ];
  it.each(cases)('%s', (_name, text, change, message) => {
    expect(() => edit(text, change)).toThrow(message);
  });
});

it('appends a section after everything else', () => {
  const section = '# new\n[log]\nkeep_days = 1\n';
  expect(edit('a = 1\r\n# end', { kind: 'append', section })).toBe(
    'a = 1\r\n# end\r\n\r\n# new\r\n[log]\r\nkeep_days = 1\r\n',
  );
  expect(edit('', { kind: 'append', section })).toBe(section);
  expect(() => edit('log = { x = 1 }\n', { kind: 'append', section })).toThrow(
    'A new section cannot be appended to zoo.toml. The file was not changed. Add this by hand: # new',
  );
});
