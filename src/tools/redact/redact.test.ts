import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HubError } from '../../base/hub-error.ts';
import { createRedact, redactError } from './redact.ts';

const redact = createRedact({ values: [] });
const base64 = 'QWxhZGRpbjpvcGVuIHNlc2FtZQ';
const run = 'aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5bC7dE9f';

/** Texts with a secret, and the part that must be removed. */
const secrets: [string, string][] = [
  [`Authorization: Bearer ${run}`, run],
  [`authorization: Basic ${base64}==`, base64],
  ['Authorization: opensesame', 'opensesame'],
  [`fetch failed for Bearer ${run}.`, run],
  [`sk-${run}`, run],
  [`key sk-ant-api03-${run}-${run}!`, run],
  [`sk-proj-${run}`, run],
  [`ghp_${run}`, run],
  [`gho_${run}`, run],
  [`github_pat_11AAAAAAA0${run}`, run],
  ['AKIAIOSFODNN7EXAMPLE', 'IOSFODNN7EXAMPLE'],
  [`xoxb-1234567890-${run}`, run],
  [`AIza${run}`, run],
  [`eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.${run}`, run],
  [`zoo_${run}`, run],
  [`-----BEGIN RSA PRIVATE KEY-----\nMIIEow${run}\n${run}==\n-----END RSA PRIVATE KEY-----`, run],
  [`-----BEGIN PRIVATE KEY-----\nMIIEow${run}\n${run}`, run],
  ['postgres://zoo:hunter2-x@db.example/zoo', 'hunter2-x'],
  ['password=hunter2-x', 'hunter2-x'],
  ['the api_key: hunter2-x was refused', 'hunter2-x'],
  ['DB_PASSWORD = "hunter 2 x"', 'hunter 2 x'],
  ["client_secret: 'hunter2-x'", 'hunter2-x'],
  ['https://example.org/x?access_token=hunter2-x&y=1', 'hunter2-x'],
];

describe('a secret', () => {
  it.each(secrets)('is removed from %j', (text, secret) => {
    expect(redact(text)).not.toContain(secret);
    expect(redact(text)).toContain('[removed]');
    expect(redact(`before ${text} after`)).toMatch(/^before .* after$|^before .*$/s);
  });

  it.each(secrets)('is removed from JSON with %j, at any depth, and the JSON stays valid', (text, secret) => {
    const needle = JSON.stringify(secret).slice(1, -1);
    const shapes: unknown[] = [
      { text, next: 'kept' },
      { list: [`line\n${text}`, 1, null], next: 'kept' },
      { stack: `Error: ${text}\n    at run (file.ts:1:1)`, next: 'kept' },
      { body: JSON.stringify({ text, deep: JSON.stringify({ text }) }), next: 'kept' },
      { quoted: `say "${text}" \\`, next: 'kept' },
    ];
    for (const shape of shapes) {
      const json = redact(JSON.stringify(shape));
      expect(JSON.parse(json)).toMatchObject({ next: 'kept' });
      expect(json).not.toContain(needle);
    }
  });

  it.each(['password', 'apiKey', 'x-api-key', 'accessToken', 'client_secret', 'Authorization'])(
    'is removed from the JSON field %s, and the JSON stays valid',
    (name) => {
      for (const value of ['x"y\\', 'two words', 'a,b}c]', '\\"', 12345678, `Bearer ${run}`, 'ünï\n\t"']) {
        const json = JSON.stringify({
          a: { [name]: value, next: 'kept "as" is' },
          b: JSON.stringify({ [name]: value }),
        });
        const clean = redact(json);
        const parsed = JSON.parse(clean);
        expect(parsed.a.next).toBe('kept "as" is');
        expect(JSON.stringify(parsed.a[name])).not.toContain(String(value).slice(0, 8));
        expect(JSON.parse(parsed.b)[name]).not.toContain(String(value).slice(0, 8));
      }
    },
  );
});

it.each([
  'Invoked tool: agent_zoo_inject',
  '{"text":"hello world","count":3}',
  'max_tokens: 4096, tokens=12, "token_limit":100',
  'Basic authentication is needed. The token is missing. A bearer of news.',
  'https://example.org/a@b and mailto:someone@example.org, at 10:30',
  'The desk-organizer-of-the-month and the task-board-item-number-one',
  '{"password":null,"isSecret":true,"secretary":{"name":"Bo"}}',
  '["my secret:","is kept"]',
  '{"note":"the password=","next":"is kept"}',
  'eyJpZCI6MTIzNDU2Nzg5MH0',
])('%j stays unchanged', (text) => {
  expect(redact(text)).toBe(text);
});

describe('known values', () => {
  const odd = [
    'plain-value-1',
    'with "quotes" and \\ inside',
    'line\nbreak\tand tab',
    'ünïcode-😀-value',
    'a/b/c+d=e&f',
    'nested"value',
  ];
  const redactKnown = createRedact({ values: odd });

  it.each(odd)('%j is removed from text, from JSON, from JSON within JSON, and from an address', (value) => {
    expect(redactKnown(`before ${value} after`)).toBe('before [removed] after');
    const object = { value, list: [`in ${value} it`], inner: JSON.stringify({ value }) };
    expect(JSON.parse(redactKnown(JSON.stringify(object)))).toEqual({
      value: '[removed]',
      list: ['in [removed] it'],
      inner: '{"value":"[removed]"}',
    });
    expect(redactKnown(`https://example.org/?q=${encodeURIComponent(value)}`)).toBe('https://example.org/?q=[removed]');
  });

  it('a value that begins like the end of an escape is removed from JSON', () => {
    const each = createRedact({ values: ['news-of-today', 'u00e9-of-today', '9-of-the-day', 'table-of-today'] });
    for (const text of [
      'x\news-of-today',
      'x\table-of-today',
      '\u0019-of-the-day',
      'x\u0009able-of-today',
      '\\news-of-today',
    ])
      expect(() => JSON.parse(each(JSON.stringify({ text })))).not.toThrow();
  });

  it('the longer of two values with the same start is removed completely', () => {
    expect(createRedact({ values: ['secret-one', 'secret-one-and-more'] })('x secret-one-and-more y')).toBe(
      'x [removed] y',
    );
  });

  it('are always removed, whatever surrounds them, and JSON stays valid', () => {
    const text = fc.string({ unit: 'binary', maxLength: 30 });
    const value = fc.string({
      unit: fc.constantFrom(...('ab"\\\n/u09é😀{}[],:\''.match(/./gsu) ?? [])),
      minLength: 8,
      maxLength: 20,
    });
    fc.assert(
      fc.property(value, text, text, (secret, before, after) => {
        const json = JSON.stringify({ [before]: `${before}${secret}${after}`, inner: JSON.stringify([secret, after]) });
        const clean = createRedact({ values: [secret] })(json);
        expect(() => JSON.parse(clean)).not.toThrow();
      }),
      { numRuns: 2_000 },
    );
  });
});

it('any JSON text stays valid JSON', () => {
  const words = [
    'password',
    'token',
    '=',
    ':',
    '"',
    "'",
    '\\',
    ' ',
    '\n',
    'Bearer ',
    ` sk-${run}`,
    '://u:p@',
    '{',
    ',',
    '[',
    'x',
    '-----BEGIN PRIVATE KEY-----',
  ];
  const text = fc.array(fc.constantFrom(...words), { maxLength: 12 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(
      fc.dictionary(
        text,
        fc.oneof(
          text,
          fc.array(text),
          fc.integer(),
          text.map((each) => JSON.stringify({ [each]: each })),
        ),
      ),
      (object) => {
        expect(() => JSON.parse(redact(JSON.stringify(object)))).not.toThrow();
        expect(redact(JSON.stringify(object))).not.toContain(run);
      },
    ),
    { numRuns: 5_000 },
  );
});

const mega = 1_000_000;
it.each([
  ['token=', 'a'],
  ['token="', 'a'],
  ["token='", '"'],
  ['token=\\"', '"'],
  ['-eyJ', 'a'],
  ['eyJ_', '.'],
  ['-sk-', '!'],
  ['://a:', 'b'],
  ['://', '@'],
  ['-----BEGIN PRIVATE KEY-----', 'x'],
  ['-----BEGIN ', 'A'],
  ['\\', '"'],
  ['"\\', 'password="'],
  ['bearer ', 'a'],
  ['password', ' '],
  ['authorization:', '['],
  ['zoo_', '-'],
  ['a', 'password='],
])('a megabyte of %j before %j takes linear time', (part, end) => {
  const text = part.repeat(mega / part.length) + end;
  expect(redact(text).length).toBeLessThanOrEqual(text.length + '[removed]'.length * 400_000);
});

describe('twenty planted secrets', () => {
  const values = Array.from(
    { length: 20 },
    (_, index) => `planted-${index}-${'"\\\n/é'[index % 5]}-${run.slice(index)}`,
  );
  const redactPlanted = createRedact({ values });

  it('leave no trace in inputs, nested values, messages and stacks', () => {
    for (const value of values) {
      const error = new Error(`Could not sign in with ${value}`, { cause: new Error(value) });
      const texts = [
        JSON.stringify({ input: value, deep: { list: [[value], { [value]: value }] } }),
        JSON.stringify({ message: error.message, stack: error.stack }),
        JSON.stringify({ body: JSON.stringify({ error: error.message }) }),
        error.message,
        String(error.stack),
      ];
      for (const text of texts) {
        const clean = redactPlanted(text);
        for (const form of [value, JSON.stringify(value).slice(1, -1)]) expect(clean).not.toContain(form);
        expect(clean).not.toContain(value.slice(-20));
        if (text.startsWith('{')) expect(() => JSON.parse(clean)).not.toThrow();
      }
    }
  });
});

const withValue = createRedact({ values: ['open"sesame'] });

it('an error contains no secret, neither in its message nor in its details', () => {
  const cause = new Error('deeper');
  const details = { issues: [{ path: 'text', message: 'open"sesame is wrong' }], count: 1 };
  const error = redactError(
    withValue,
    new HubError('INVALID_ARGUMENTS', 'text: open"sesame is wrong', { cause, details }),
  );
  expect(error).toMatchObject({ code: 'INVALID_ARGUMENTS', message: 'text: [removed] is wrong', cause });
  expect(error.details).toEqual({ issues: [{ path: 'text', message: '[removed] is wrong' }], count: 1 });
});

it('an error without a secret stays the same object', () => {
  const error = new HubError('NOT_FOUND', 'There is no agent "a".', { details: { id: 'a' } });
  expect(redactError(withValue, error)).toBe(error);
});
