import { describe, expect, it } from 'vitest';
import { mask, maskDefinition, secretsOf, unmaskDefinition } from './mask-secrets.ts';
import { ServerDefinition, type ServerDefinitionInput } from './server-definition.ts';

function masked(definition: ServerDefinitionInput): ServerDefinition {
  return maskDefinition(ServerDefinition.parse(definition));
}

const V = `\${TOKEN}`;

it.each<[string, ServerDefinitionInput, object]>([
  [
    'the environment',
    { transport: 'stdio', command: 'x', env: { A: 'secret', B: V, C: '' } },
    { env: { A: mask, B: V, C: '' } },
  ],
  [
    'arguments',
    {
      transport: 'stdio',
      command: 'x',
      args: ['--api-key', 'k', '--token=t', '--port', '80', 'TOKEN=t', '--token', V, 'Authorization: Bearer t'],
    },
    {
      args: [
        '--api-key',
        mask,
        `--token=${mask}`,
        '--port',
        '80',
        `TOKEN=${mask}`,
        '--token',
        V,
        `Authorization: ${mask}`,
      ],
    },
  ],
  [
    'addresses in arguments',
    { transport: 'stdio', command: 'x', args: ['postgres://me:pw@host/db', 'nats://tok@host', 'http://me@host'] },
    { args: [`postgres://me:${mask}@host/db`, `nats://${mask}@host`, 'http://me@host'] },
  ],
  [
    'headers',
    { transport: 'sse', url: 'https://x.dev', headers: { A: 'Bearer t', B: `Bearer ${V}` } },
    { headers: { A: mask, B: `Bearer ${V}` } },
  ],
  [
    'the address',
    { transport: 'sse', url: 'https://me:pw@x.dev/?api_key=k&page=1' },
    { url: `https://me:${mask}@x.dev/?api_key=${mask}&page=1` },
  ],
  [
    'a token',
    { transport: 'sse', url: 'https://x.dev', auth: { type: 'bearer', token: 't' } },
    { auth: { token: mask } },
  ],
  ['a key', { transport: 'sse', url: 'https://x.dev', auth: { type: 'api-key', key: 't' } }, { auth: { key: mask } }],
  [
    'custom headers',
    { transport: 'sse', url: 'https://x.dev', auth: { type: 'headers', headers: { A: 'b' } } },
    { auth: { headers: { A: mask } } },
  ],
  [
    'the secret of a client',
    { transport: 'sse', url: 'https://x.dev', auth: { type: 'oauth', clientId: 'i', clientSecret: 's' } },
    { auth: { clientId: 'i', clientSecret: mask } },
  ],
])('masks %s, and puts it back', (_what, definition, expected) => {
  const parsed = ServerDefinition.parse(definition);
  expect(maskDefinition(parsed)).toMatchObject(expected);
  expect(unmaskDefinition(parsed, maskDefinition(parsed))).toEqual(parsed);
});

it('changed values are used; the others keep their secrets', () => {
  const before = ServerDefinition.parse({ transport: 'stdio', command: 'x', env: { A: 'one', B: 'two' } });
  const next = unmaskDefinition(before, { transport: 'stdio', command: 'x', env: { A: mask, B: 'new' } });
  expect(next).toEqual({ transport: 'stdio', command: 'x', env: { A: 'one', B: 'new' } });
});

describe('a secret for one command is never given to another', () => {
  const before = ServerDefinition.parse({
    transport: 'stdio',
    command: 'npx',
    args: ['-y', 'good-server', '--token', 'token-of-good'],
    env: { API_KEY: 'key-of-good', API_BASE_URL: 'https://good.dev', LEVEL: 'debug' },
    cwd: '/srv/good',
  });
  const shown = maskDefinition(before) as Extract<ServerDefinition, { transport: 'stdio' }>;

  it.each<[string, Partial<typeof shown>, string]>([
    ['the command', { command: '/tmp/evil' }, 'another command'],
    ['the package in its arguments', { args: ['-y', 'evil-server', '--token', mask] }, 'other arguments'],
    ['one more argument', { args: [...shown.args, '--upload=https://evil.dev'] }, 'other arguments'],
    ['the folder', { cwd: '/tmp/evil' }, 'another command'],
    ['where it connects', { env: { ...shown.env, API_BASE_URL: 'https://evil.dev' } }, 'another value of API_BASE_URL'],
    ['a proxy', { env: { ...shown.env, HTTPS_PROXY: 'http://evil.dev' } }, 'another value of HTTPS_PROXY'],
    [
      'what it loads',
      { env: { ...shown.env, NODE_OPTIONS: '--require /tmp/evil.js' } },
      'another value of NODE_OPTIONS',
    ],
    ['where its programs are', { env: { ...shown.env, PATH: '/tmp/evil' } }, 'another value of PATH'],
  ])('after a change of %s', (_what, change, moved) => {
    expect(() => unmaskDefinition(before, { ...shown, ...change })).toThrow(
      `the stored secret is not sent to a server with ${moved}. Enter it again, or \${VAR}.`,
    );
  });

  it('unless it is entered again', () => {
    const next = { ...shown, command: 'other', args: [], env: { API_KEY: 'key-of-other' } };
    expect(unmaskDefinition(before, next)).toEqual(next);
  });

  it('but a new secret, another setting or a removed variable does not concern the others', () => {
    const changes = [
      { args: ['-y', 'good-server', '--token', 'token-number-two'] },
      { env: { API_KEY: mask, API_BASE_URL: mask, LEVEL: 'info', MODE: 'fast' } },
      { env: { API_KEY: mask, API_BASE_URL: 'https://good.dev' } },
      { env: { API_KEY: mask } },
      { timeoutMs: 1_000, include: ['read'] },
    ];
    for (const change of changes) {
      expect(unmaskDefinition(before, { ...shown, ...change })).toMatchObject({ env: { API_KEY: 'key-of-good' } });
    }
  });

  it('nor to a server over HTTP', () => {
    const next = { transport: 'sse', url: 'https://evil.dev', headers: { API_KEY: mask } } as const;
    expect(() => unmaskDefinition(before, next)).toThrow('headers.API_KEY: the stored secret is not sent');
  });
});

it('a secret for one host is never restored for another', () => {
  const http = { transport: 'streamable-http', url: 'https://x.dev/mcp', headers: { A: 'secret' } } as const;
  const before = ServerDefinition.parse({ ...http, auth: { type: 'bearer', token: 't' } });
  const shown = maskDefinition(before);
  const moved = { ...shown, url: 'https://x.dev/v2', transport: 'sse' } as ServerDefinition;
  expect(unmaskDefinition(before, moved)).toMatchObject({ headers: { A: 'secret' }, auth: { token: 't' } });
  for (const url of ['https://y.dev/mcp', 'http://x.dev/mcp', 'https://x.dev:8443/mcp', `https://\${HOST}/mcp`]) {
    expect(() => unmaskDefinition(before, { ...shown, url } as ServerDefinition)).toThrow(
      'headers.A: the stored secret is not sent to a server with another host. Enter it again',
    );
  }
});

it.each<[string, ServerDefinitionInput]>([
  ['env.C', { transport: 'stdio', command: 'x', env: { C: mask } }],
  ['env.__proto__', JSON.parse(`{"transport":"stdio","command":"x","env":{"__proto__":"${mask}"}}`)],
  ['headers.A', { transport: 'sse', url: 'https://x.dev', headers: { A: mask } }],
  ['url', { transport: 'sse', url: `https://me:${mask}@other.dev` }],
])('a mask without a stored secret is refused: %s', (path, next) => {
  const before = ServerDefinition.parse({ transport: 'stdio', command: 'x', env: { A: 'one' } });
  expect(() => unmaskDefinition(before, next)).toThrow(path);
  expect(() => unmaskDefinition(undefined, next)).toThrow(path);
});

it('a masked definition contains no secret', () => {
  const shown = masked({ transport: 'stdio', command: 'x', env: { A: 's3cr3t' }, args: ['--password', 's3cr3t'] });
  expect(JSON.stringify(shown)).not.toContain('s3cr3t');
});

it.each<[string, ServerDefinitionInput, string[]]>([
  [
    'variables that are named like one',
    {
      transport: 'stdio',
      command: 'x',
      env: {
        STRIPE_KEY: 'strp-99999',
        KEY_ID: 'id-1234567',
        GITHUB_PAT: 'pat-123456',
        MODE: 'production',
        KEYBOARD: 'de-latin1',
      },
    },
    ['strp-99999', 'id-1234567', 'pat-123456'],
  ],
  [
    'passwords of addresses in variables',
    { transport: 'stdio', command: 'x', env: { DATABASE_URL: 'postgres://me:pw-123456@host/db' } },
    ['pw-123456'],
  ],
  [
    'arguments',
    {
      transport: 'stdio',
      command: 'x',
      args: [
        '--api-key',
        'key-123456',
        '--token=tok-123456',
        '--folder',
        '/home/me/files',
        'mysql://me:pw-654321@host',
      ],
    },
    ['key-123456', 'tok-123456', 'pw-654321'],
  ],
  [
    'the address',
    { transport: 'sse', url: 'https://me:pw-123456@x.dev/?api_key=key-123456&page=12345678' },
    ['pw-123456', 'key-123456'],
  ],
  [
    'headers',
    { transport: 'sse', url: 'https://x.dev', headers: { A: 'Bearer tok-123456' } },
    ['Bearer tok-123456', 'tok-123456'],
  ],
])('finds %s, and nothing else', (_what, definition, expected) => {
  expect(new Set(secretsOf(ServerDefinition.parse(definition)))).toEqual(new Set(expected));
});
