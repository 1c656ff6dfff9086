/** Parses text that is a JSON object or array. Returns undefined for anything else, including bare values. */
export function jsonIn(text: string): object | undefined {
  const first = text.trimStart().charAt(0);
  if (first !== '{' && first !== '[') return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the URI if it is safe to link to: http or https only. */
export function safeLink(uri: string): string | undefined {
  if (!URL.canParse(uri)) return undefined;
  const { protocol, href } = new URL(uri);
  return protocol === 'https:' || protocol === 'http:' ? href : undefined;
}

export function base64Bytes(data: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    const text = atob(data.replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = new Uint8Array(text.length);
    for (let index = 0; index < text.length; index += 1) bytes[index] = text.charCodeAt(index);
    return bytes;
  } catch {
    return undefined;
  }
}
