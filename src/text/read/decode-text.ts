import { HubError } from '../../base/hub-error.ts';

/** How many bytes are checked to tell whether a file is text. */
const sampleBytes = 65_536;

/**
 * Decodes UTF-8, UTF-16 with a byte order mark, or Latin-1 if the bytes are not UTF-8 but look like text. The result has
 * line feeds as line ends, no NUL and no unpaired surrogates. Throws INVALID_FORMAT for binary data.
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
  if (bytes.includes(0)) throw notText(name, 'it contains NUL bytes, like images, archives and programs');
  const shares = byteShares(bytes.subarray(0, sampleBytes));
  if (shares.control > 0.1) throw notText(name, 'too many of its bytes are control characters');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    if (shares.control > 0.01 || shares.high > 0.3) throw notText(name, 'it is not UTF-8, UTF-16 or Latin-1');
    return new TextDecoder('latin1').decode(bytes);
  }
}

/** Returns the shares of control characters and non-ASCII bytes. */
function byteShares(bytes: Uint8Array): { control: number; high: number } {
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
    `"${name}" cannot be read as text: ${why}. Supported formats: UTF-8 text, PDF, DOCX and HTML. Exclude other files with exclude_globs.`,
  );
}
