import { expect, test } from 'vitest';
import { secretValues } from './secret-values.ts';

test.each([
  ['OPENAI_API_KEY', 'value-of-a-key', true],
  ['GITHUB_TOKEN', 'value-of-a-token', true],
  ['DB_PASSWORD', 'hunter2-hunter2', true],
  ['AWS_SECRET_ACCESS_KEY', 'value-of-a-key', true],
  ['CI_AUTH', 'value-of-auth', true],
  ['HOME', '/home/somebody', false],
  ['PATH', '/usr/bin:/bin', false],
  ['AUTHOR', 'somebody-else', false],
  ['SHORT_TOKEN', 'abc', false],
])('the value of %s is kept out of everything: %#', (name, value, isSecret) => {
  expect(secretValues({ [name]: value }, [])).toEqual(isSecret ? [value] : []);
});

test('a variable that the config names is a secret whatever its name, and longer values come first', () => {
  const env = { PLAIN: 'abcd', OTHER_SECRET: 'abcdefgh', EMPTY: '' };
  expect(secretValues(env, ['PLAIN', 'EMPTY', 'MISSING'])).toEqual(['abcdefgh', 'abcd']);
});
