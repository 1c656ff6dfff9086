import { expect, it } from 'vitest';
import { mask } from '../../../src/servers/mask-secrets.ts';
import { formWithoutSecrets, hasSecret } from './form-without-secrets.ts';
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
  expect(hasSecret(form)).toBe(JSON.stringify(form).includes('abc'));
});

it('a stored secret that was about to be replaced stays stored', () => {
  const saved: ServerForm = {
    ...newForm('stdio'),
    token: mask,
    env: [
      { id: 0, name: 'KEY', value: mask },
      { id: 1, name: 'OTHER', value: variable },
    ],
    commandLine: `npx x --api-key ${mask}`,
    url: `https://me:${mask}@a.example`,
  };
  const typed: ServerForm = {
    ...saved,
    token: 'ab',
    env: [
      { id: 0, name: 'KEY', value: 'ab' },
      { id: 1, name: 'OTHER', value: 'ab' },
      { id: 2, name: 'NEW', value: 'ab' },
    ],
    commandLine: 'npx x --api-key ab',
    url: 'https://me:ab@a.example',
  };
  expect(formWithoutSecrets(typed, saved)).toEqual({
    ...saved,
    env: [...saved.env, { id: 2, name: 'NEW', value: '' }],
  });
});
