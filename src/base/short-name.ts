/** Tool names that every MCP client accepts. */
const accepted = /^[A-Za-z0-9_.-]{1,64}$/;
const maxLength = 64;

export function isAcceptedName(name: string): boolean {
  return accepted.test(name);
}

/**
 * Shortens a name that is too long or has characters that clients reject, and appends eight hex digits of a hash of `key`. The same key
 * always gives the same name, and different keys give different names.
 */
export function shortName(whole: string, key: string): string {
  const readable = whole.replace(/[^A-Za-z0-9_.-]+/g, '_').slice(0, maxLength - 9);
  return `${readable}_${digest(key)}`;
}

/** FNV-1a over UTF-16: needs no library and gives the same result on every platform. */
function digest(text: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    hash = Math.imul(hash ^ (code & 0xff), 0x01000193);
    hash = Math.imul(hash ^ (code >>> 8), 0x01000193);
  }
  return (hash >>> 0).toString(16).padStart(8, '0');
}
