import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { checkProof, logKey } from './log-key.ts';

it('a proof is right only for its text and its key', () => {
  const [one, other] = [logKey(randomBytes(32)), logKey(randomBytes(32))];
  const keys = new Map([[one.id, one]]);
  const proof = one.sign('text');
  expect(checkProof(keys, proof, 'text')).toBe('right');
  expect(checkProof(keys, proof, 'texts')).toBe('wrong');
  expect(checkProof(keys, `${one.id}.${other.sign('text').split('.')[1]}`, 'text')).toBe('wrong');
  expect(checkProof(keys, other.sign('text'), 'text')).toBe('unknown');
  expect(checkProof(keys, 'plain', 'text')).toBe('wrong');
});
