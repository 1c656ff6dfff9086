import { HubError } from '../../base/hub-error.ts';

/** How much of a file tells whether it is text. */
const sample = 65_536;

/**
 * Bytes as text: UTF-8, UTF-16 with its mark, or Latin-1 where the bytes are no UTF-8 but read like text. Lines end with a
 * line feed; no NUL and no half of a character is left. Throws INVALID_FORMAT for what is no text.
 */
export function decodeText(name: string, content: Uint8Array | string): string {
  return cleanText(typeof content === 'string' ? content : decodeBytes(name, content));
}

export function cleanText(text: string): string {
  const unmarked = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  const fed = unmarked.includes('\r') ? unmarked.replace(/\r\n?/g, '\n') : unmarked;
  return (fed.includes('\0') ? fed.replaceAll('\0', '\ufffd') : fed).toWellFormed();
}

function decodeBytes(name: string, bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  if (bytes.includes(0)) throw notText(name, 'it has NUL bytes, as pictures, archives and programs do');
  const look = looksLike(bytes.subarray(0, sample));
  if (look.control > 0.1) throw notText(name, 'too many of its bytes are control characters');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    if (look.control > 0.01 || look.high > 0.3) throw notText(name, 'it is neither UTF-8 nor UTF-16 nor Latin-1');
    return new TextDecoder('latin1').decode(bytes);
  }
}

/** Shares of control characters and of bytes beyond ASCII. */
function looksLike(bytes: Uint8Array): { control: number; high: number } {
  let control = 0;
  let high = 0;
  for (const byte of bytes) {
    if (byte >= 128) high += 1;
    else if (byte < 32 ? !(byte >= 8 && byte <= 13) && byte !== 27 : byte === 127) control += 1;
  }
  const length = Math.max(1, bytes.length);
  return { control: control / length, high: high / length };
}

function notText(name: string, why: string): HubError {
  return new HubError(
    'INVALID_FORMAT',
    `"${name}" cannot be read as text: ${why}. Text files in UTF-8, PDF, DOCX and HTML can be read; exclude others by exclude_globs.`,
  );
}
