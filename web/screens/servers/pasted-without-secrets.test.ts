import { expect, it } from 'vitest';
import { readClientConfig } from '../../../src/servers/import/read-client-config.ts';
import { pastedWithoutSecrets } from './pasted-without-secrets.ts';

const variable = '$' + '{TOKEN}';
const kept = (servers: object, more: object = {}) =>
  pastedWithoutSecrets(JSON.stringify({ mcpServers: servers, ...more }));

it('what the browser stores of pasted servers has no secret, and can be read again', () => {
  const servers = {
    files: { command: 'npx', args: ['-y', 'files', '--api-key', 'abc'], env: { KEY: 'abc', NAME: variable } },
    linear: { url: 'https://me:abc@mcp.linear.app/sse?token=abc', headers: { Authorization: 'Bearer abc' } },
  };
  const text = kept(servers, { oauthAccount: { accessToken: 'abc' } });
  expect(text).not.toContain('abc');
  expect(readClientConfig(text)).toMatchObject({
    servers: [
      {
        name: 'files',
        definition: { command: 'npx', args: ['-y', 'files', '--api-key', ''], env: { KEY: '', NAME: variable } },
      },
      { name: 'linear', definition: { transport: 'sse', headers: { Authorization: '' } } },
    ],
    problems: [],
  });
});

it('servers without secrets are stored as they are', () => {
  const memory = { transport: 'stdio', command: 'npx', args: ['-y', 'memory'], enabled: false };
  expect(JSON.parse(kept({ memory }))).toEqual({ mcpServers: { memory } });
});

it.each(['', '{"mcpServers": {"a": {"env": {"KEY": "abc', '{"token": "abc"}'])('nothing is stored of %j', (text) => {
  expect(pastedWithoutSecrets(text)).toBe('');
});
