import type { ConnectBody, ConnectLink } from '../../../src/http/hub.contract.ts';

type Placeholder = Pick<ConnectBody, 'keyPlaceholder'>;

/** Whether the text of a snippet or a link contains the placeholder for a key. */
export function takesKey({ keyPlaceholder }: Placeholder, text: string): boolean {
  return text.includes(keyPlaceholder);
}

/** Replaces the placeholder with the key, if there is a key yet. A key has only letters, digits, `_` and `-`, so nothing needs quotes. */
export function withKey({ keyPlaceholder }: Placeholder, text: string, key: string | undefined): string {
  return key === undefined ? text : text.replaceAll(keyPlaceholder, key);
}

/** Returns the address that opens a client with everything filled in. */
export function linkWithKey(placeholder: Placeholder, { start, text, encoding }: ConnectLink, key: string): string {
  const filled = withKey(placeholder, text, key);
  return start + encodeURIComponent(encoding === 'base64' ? toBase64(filled) : filled);
}

function toBase64(text: string): string {
  return btoa(String.fromCodePoint(...new TextEncoder().encode(text)));
}
