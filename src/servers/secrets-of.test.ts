import { expect, it } from 'vitest';
import { secretsOf } from './secrets-of.ts';
import { ServerDefinition, type ServerDefinitionInput } from './server-definition.ts';

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
