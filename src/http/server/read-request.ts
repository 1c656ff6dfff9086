import type { IncomingMessage } from 'node:http';
import { HubError } from '../../base/hub-error.ts';
import { defaultJsonLimits, type JsonLimits, parseJson } from '../../base/json.ts';
import { Refusal } from '../to-error-response.ts';

const jsonType = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

/** Reads the body as JSON, up to the size limit; undefined if it is empty. Throws a Refusal (415), TOO_LARGE or INVALID_ARGUMENTS. */
export async function readJsonBody(
  incoming: IncomingMessage,
  limits: JsonLimits = defaultJsonLimits,
): Promise<unknown> {
  const { headers } = incoming;
  const announced = Number(headers['content-length'] ?? 0);
  if (announced === 0 && headers['transfer-encoding'] === undefined) return undefined;
  if (!jsonType.test(headers['content-type'] ?? '')) {
    const contentType = headers['content-type'];
    throw new Refusal(
      415,
      'unsupported_media_type',
      `The body must be sent as application/json${contentType ? `, not as "${contentType.slice(0, 80)}"` : '; the Content-Type header is missing'}.`,
    );
  }
  if ((headers['content-encoding'] ?? 'identity') !== 'identity') {
    throw new Refusal(415, 'unsupported_media_type', 'Compressed bodies are not accepted.');
  }
  const maxBytes = limits.maxCharacters;
  if (announced > maxBytes) throw tooLarge(maxBytes);
  const text = decode(await readBytes(incoming, maxBytes));
  return text === '' ? undefined : parseJson(text, limits);
}

function readBytes(incoming: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    incoming.on('data', take);
    let isComplete = false;
    incoming.once('end', () => {
      isComplete = true;
      resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks));
    });
    incoming.once('error', () => reject(gone()));
    // `close` also follows a complete body. Avoids creating an error with its stack in that case.
    incoming.once('close', () => {
      if (!isComplete) reject(gone());
    });
    function take(chunk: Buffer) {
      bytes += chunk.length;
      chunks.push(chunk);
      if (bytes <= maxBytes) return;
      incoming.off('data', take);
      incoming.pause();
      reject(tooLarge(maxBytes));
    }
  });
}

const decoder = new TextDecoder('utf-8', { fatal: true });

function decode(bytes: Buffer): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new HubError('INVALID_ARGUMENTS', 'The body is not valid UTF-8.');
  }
}

/** Ends the handling of a request whose client has disconnected. */
function gone(): HubError {
  return new HubError('CANCELLED', 'The client disconnected before its body was complete.');
}

/** The listener discards the rest of the body, so that the client can read this reply. */
function tooLarge(maxBytes: number): HubError {
  return new HubError('TOO_LARGE', `The body is larger than ${maxBytes} bytes.`);
}

const maxKeyLength = 200;

/** Reads the Idempotency-Key header. Throws INVALID_ARGUMENTS if it is too long. */
export function readIdempotencyKey(header: string | string[] | undefined): string | undefined {
  const key = String(header ?? '');
  if (key === '') return undefined;
  if (key.length <= maxKeyLength) return key;
  throw new HubError('INVALID_ARGUMENTS', `Idempotency-Key: must have at most ${maxKeyLength} characters.`);
}
