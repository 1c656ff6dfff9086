import { expect, test } from 'vitest';
import { secretsIn, secretValues } from './secret-values.ts';

test.each([
  ['OPENAI_API_KEY', 'value-of-a-key', true],
  ['GITHUB_TOKEN', 'value-of-a-token', true],
  ['DB_PASSWORD', 'hunter2-hunter2', true],
  ['AWS_SECRET_ACCESS_KEY', 'value-of-a-key', true],
  ['CI_AUTH', 'value-of-auth', true],
  ['HOME', '/home/somebody', false],
  ['PATH', '/usr/bin:/bin', false],
  ['AUTHOR', 'somebody-else', false],
  ['PWD', '/home/somebody/project', false],
  ['SHORT_TOKEN', 'abc', false],
])('the value of %s is redacted everywhere: %#', (name, value, isSecret) => {
  expect(secretValues({ [name]: value }, [])).toEqual(isSecret ? [value] : []);
});

test('a variable that the config uses is a secret whatever its name, and longer values come first', () => {
  const env = { PLAIN: 'abcd', OTHER_SECRET: 'abcdefgh', EMPTY: '' };
  expect(secretValues(env, ['PLAIN', 'EMPTY', 'MISSING'])).toEqual(['abcdefgh', 'abcd']);
});

test('tokens and keys written in the file are secrets too, at any depth', () => {
  const servers = {
    api: { auth: { type: 'bearer', token: 'abc-literal-token' }, headers: { Authorization: 'Basic abcdef' } },
  };
  const providers = { mine: { api_key: 'sk-literal-key', base_url: 'http://127.0.0.1:1/v1' } };
  expect(secretsIn({ servers, providers })).toEqual(['abc-literal-token', 'Basic abcdef', 'sk-literal-key']);
});
