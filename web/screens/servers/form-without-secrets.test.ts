import { expect, it } from 'vitest';
import { formWithoutSecrets } from './form-without-secrets.ts';
import { newForm, type ServerForm } from './server-form.ts';

const variable = '$' + '{TOKEN}';

it.each<[what: string, typed: Partial<ServerForm>, stored: Partial<ServerForm>]>([
  ['a token', { token: 'abc' }, { token: '' }],
  ['a variable', { token: variable }, { token: variable }],
  ['a mask', { key: '••••••••' }, { key: '••••••••' }],
  ['a client secret', { clientId: 'me', clientSecret: 'abc' }, { clientId: 'me', clientSecret: '' }],
  ['a plain command', { commandLine: 'npx  -y "a server"' }, { commandLine: 'npx  -y "a server"' }],
  ['a secret argument', { commandLine: 'npx x --api-key abc' }, { commandLine: "npx x --api-key ''" }],
  ['an assignment', { commandLine: 'KEY=abc npx x' }, { commandLine: 'npx x' }],
  ['half a command with a secret', { commandLine: 'npx "x --token=abc' }, { commandLine: '' }],
  ['half a command', { commandLine: 'npx "my ser' }, { commandLine: 'npx "my ser' }],
  ['an address', { url: 'https://a.example/mcp?team=1' }, { url: 'https://a.example/mcp?team=1' }],
  ['a password in an address', { url: 'https://me:abc@a.example' }, { url: 'https://me:@a.example' }],
  [
    'headers',
    { headers: [{ id: 0, name: 'X-Key', value: 'abc' }] },
    { headers: [{ id: 0, name: 'X-Key', value: '' }] },
  ],
])('of %s the browser stores no secret', (_, typed, stored) => {
  const form = { ...newForm('stdio'), ...typed };
  expect(formWithoutSecrets(form)).toEqual({ ...newForm('stdio'), ...stored });
  expect(JSON.stringify(formWithoutSecrets(form))).not.toContain('abc');
});
