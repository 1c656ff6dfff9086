import type { ConnectBody, ConnectLink } from '../../../src/http/hub.contract.ts';

type Place = Pick<ConnectBody, 'keyPlaceholder'>;

/** Whether a text or a link has a place for a key. */
export function takesKey({ keyPlaceholder }: Place, text: string): boolean {
  return text.includes(keyPlaceholder);
}

/** Puts the key into a text, if there is one. A key has only letters, digits, `_` and `-`, so nothing needs quotes. */
export function withKey({ keyPlaceholder }: Place, text: string, key: string | undefined): string {
  return key === undefined ? text : text.replaceAll(keyPlaceholder, key);
}

/** Returns the address that opens a client with everything filled in. */
export function linkWithKey(place: Place, { start, text, encoding }: ConnectLink, key: string): string {
  const filled = withKey(place, text, key);
  return start + encodeURIComponent(encoding === 'base64' ? toBase64(filled) : filled);
}

function toBase64(text: string): string {
  return btoa(String.fromCodePoint(...new TextEncoder().encode(text)));
}
