import { expect, test } from 'vitest';
import { formatBind, parseBind } from './bind.ts';

test.each([
  ['127.0.0.1:7331', { host: '127.0.0.1', port: 7331 }],
  ['localhost:0', { host: 'localhost', port: 0 }],
  ['[::1]:8080', { host: '::1', port: 8080 }],
  [':8080', { host: '127.0.0.1', port: 8080 }],
  ['8080', { host: '127.0.0.1', port: 8080 }],
])('%s is an address', (text, bind) => {
  expect(parseBind(text)).toEqual(bind);
});

test.each([
  '',
  'localhost',
  '127.0.0.1:',
  '127.0.0.1:http',
  '::1:8080',
  '127.0.0.1:65536',
  'http://127.0.0.1:80',
  '-1',
])('"%s" is not an address', (text) => {
  expect(parseBind(text)).toBeUndefined();
});

test('an IPv6 address is written in brackets', () => {
  expect(formatBind({ host: '::1', port: 80 })).toBe('[::1]:80');
});
