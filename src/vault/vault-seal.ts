import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { keyBytes } from '../base/key-file.ts';

/** The prefix of a sealed text. A new format will get another number, and this one stays readable. */
const version = 'v1.';
const cipher = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

const salt = 'agent-zoo vault';

/** A key that seals and opens texts. Its check value identifies the key without revealing it. */
export interface SealingKey {
  readonly checkValue: string;
  /** Seals a text with a fresh nonce and binds it to a name: it does not open under another name. */
  seal(name: string, text: string): string;
  /** Returns undefined for a text that was changed, or not sealed with this key under this name. */
  open(name: string, sealed: string): string | undefined;
}

export function sealingKey(master: Uint8Array): SealingKey {
  const key = purposeKey(master, 'seal');
  return {
    checkValue: purposeKey(master, 'check').toString('base64url'),
    seal(name, text) {
      const nonce = randomBytes(nonceBytes);
      const sealing = createCipheriv(cipher, key, nonce, { authTagLength: tagBytes }).setAAD(boundTo(name));
      const parts = [nonce, sealing.update(text, 'utf8'), sealing.final(), sealing.getAuthTag()];
      return `${version}${Buffer.concat(parts).toString('base64url')}`;
    },
    open(name, sealed) {
      if (!sealed.startsWith(version)) return undefined;
      const bytes = Buffer.from(sealed.slice(version.length), 'base64url');
      if (bytes.length < nonceBytes + tagBytes) return undefined;
      const opening = createDecipheriv(cipher, key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes })
        .setAAD(boundTo(name))
        .setAuthTag(bytes.subarray(-tagBytes));
      const text = opening.update(bytes.subarray(nonceBytes, -tagBytes));
      try {
        return Buffer.concat([text, opening.final()]).toString('utf8');
      } catch {
        return undefined;
      }
    },
  };
}

function boundTo(name: string): Buffer {
  return Buffer.from(`${version}${name}`);
}

function purposeKey(master: Uint8Array, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', master, salt, purpose, keyBytes));
}
