import { expect, test } from 'vitest';
import { holdsSecretName, isSecretSetting } from './secret-names.ts';

test.each([
  ['OPENAI_API_KEY', true],
  ['apiKey', true],
  ['GITHUB_TOKEN', true],
  ['DB_PASSWORD', true],
  ['DB_PWD', true],
  ['--pwd', true],
  ['GITHUB_PAT', true],
  ['SIGNING_KEY', true],
  ['X-Authentication', true],
  ['oauth', true],
  ['Authorization', true],
  ['passphrase', true],
  ['privateKey', true],
  ['HOME', false],
  ['PATH', false],
  ['PWD', false],
  ['OLDPWD', false],
  ['AUTHOR', false],
  ['KEYBOARD', false],
])('the setting %s is a secret: %s', (name, isSecret) => {
  expect(isSecretSetting(name)).toBe(isSecret);
});

test.each([
  ['{"private_key":"x"}', true],
  ['{"client-secret":"x"}', true],
  ['{"key":"colour","author":"somebody"}', false],
])('%s contains the name of a secret: %s', (text, holds) => {
  expect(holdsSecretName(text)).toBe(holds);
});
