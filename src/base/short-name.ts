/** Names of tools that every MCP client accepts. */
const accepted = /^[A-Za-z0-9_.-]{1,64}$/;
const longest = 64;

export function isAcceptedName(name: string): boolean {
  return accepted.test(name);
}

/**
 * A name that is too long, or has characters that clients refuse, is cut and gets eight digits of a hash of `key`: the same
 * key always gives the same name, and two keys two of them.
 */
export function shortName(whole: string, key: string): string {
  const readable = whole.replace(/[^A-Za-z0-9_.-]+/g, '_').slice(0, longest - 9);
  return `${readable}_${digest(key)}`;
}

/** FNV-1a over UTF-16, which needs no library and is the same everywhere. */
function digest(text: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    hash = Math.imul(hash ^ (code & 0xff), 0x01000193);
    hash = Math.imul(hash ^ (code >>> 8), 0x01000193);
  }
  return (hash >>> 0).toString(16).padStart(8, '0');
}
