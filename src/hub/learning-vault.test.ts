import { expect, it } from 'vitest';
import { learningRedact } from '../tools/redact/redact.ts';
import type { Vault } from '../vault/vault.ts';
import { learningVault } from './learning-vault.ts';

function memoryVault(): Vault {
  const kept = new Map<string, string>();
  return {
    get: async (name) => kept.get(name),
    set: async (name, value) => void (value === null ? kept.delete(name) : kept.set(name, value)),
    names: async () => [],
    seal: async (text) => text,
    open: async (text) => text,
  };
}

it('a value that was stored in the vault or read from it is redacted everywhere from then on', async () => {
  const { redact, learn } = learningRedact([]);
  const inner = memoryVault();
  await inner.set('provider-key:mine', 'plain-key-of-a-provider');
  const vault = learningVault(inner, learn);
  expect(redact('It is plain-key-of-a-provider.')).toBe('It is plain-key-of-a-provider.');
  await vault.get('provider-key:mine');
  await vault.set('oauth:x:tokens', JSON.stringify({ access_token: 'abcdefgh-access', expires_in: 3600 }));
  expect(redact('It is plain-key-of-a-provider, then abcdefgh-access.')).toBe('It is [removed], then [removed].');
  await vault.set('provider-key:new', JSON.stringify({ apiKey: 'key-of-a-provider', baseUrl: 'https://gate.example' }));
  expect(redact('key-of-a-provider at https://gate.example')).toBe('[removed] at https://gate.example');
  expect(redact.learned).toBe(3);
});
