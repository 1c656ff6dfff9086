import { expect, test } from 'vitest';
import { openState, sealState } from './ask-by-retry.ts';

const key = Buffer.alloc(32, 1);
const sealed = sealState({ call: 'this', answers: { name: { action: 'accept' } } }, key, 1_000);
const [payload = '', signature = ''] = sealed.split('.');

test('a state survives a round trip', () => {
  expect(openState(sealed, { key, call: 'this', now: 2_000 })).toEqual({ name: { action: 'accept' } });
});

const forged = Buffer.from(JSON.stringify({ call: 'this', answers: {}, until: 9e15 })).toString('base64url');

test.each<[string, unknown, string, number]>([
  ['of another call', sealed, 'other', 2_000],
  ['older than an hour', sealed, 'this', 3_602_000],
  ['with a longer signature', `${sealed}x`, 'this', 2_000],
  ['with a changed signature', `${payload}.${'A'.repeat(signature.length)}`, 'this', 2_000],
  ['with another payload', `${forged}.${signature}`, 'this', 2_000],
  ['without a signature', payload, 'this', 2_000],
  ['of another installation', sealState({ call: 'this', answers: {} }, Buffer.alloc(32, 2), 1_000), 'this', 2_000],
  ['that is not text', 7, 'this', 2_000],
  ['that is empty', '', 'this', 2_000],
])('a state %s is refused', (_what, text, call, now) => {
  expect(() => openState(text, { key, call, now })).toThrow('requestState');
});
