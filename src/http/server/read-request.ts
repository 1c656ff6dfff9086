import type { IncomingMessage, ServerResponse } from 'node:http';
import { HubError } from '../../base/hub-error.ts';
import { defaultJsonLimits, type JsonLimits, parseJson } from '../../base/json.ts';
import { announcedBytes, type RequestBodies } from '../../base/request-bodies.ts';
import { Refusal } from '../to-error-response.ts';

const jsonType = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

/** A request and its reply on Node's server. */
export interface Incoming {
  incoming: IncomingMessage;
  outgoing: ServerResponse;
}

/**
 * Reads the body as JSON, up to the size limit; undefined if it is empty. Throws a Refusal (415), INVALID_ARGUMENTS, and whatever
 * `RequestBodies` throws.
 */
export async function readJsonBody(
  bodies: RequestBodies,
  { incoming, outgoing }: Incoming,
  limits: JsonLimits = defaultJsonLimits,
): Promise<unknown> {
  const { headers } = incoming;
  if (announcedBytes(incoming) === 0 && headers['transfer-encoding'] === undefined) return undefined;
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
  const text = decode(await bodies.read(incoming, outgoing, limits.maxCharacters));
  return text === '' ? undefined : parseJson(text, limits);
}

const decoder = new TextDecoder('utf-8', { fatal: true });

function decode(bytes: Buffer): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new HubError('INVALID_ARGUMENTS', 'The body is not valid UTF-8.');
  }
}

const maxKeyLength = 200;

/** Reads the Idempotency-Key header. Throws INVALID_ARGUMENTS if it is too long. */
export function readIdempotencyKey(header: string | string[] | undefined): string | undefined {
  const key = String(header ?? '');
  if (key === '') return undefined;
  if (key.length <= maxKeyLength) return key;
  throw new HubError('INVALID_ARGUMENTS', `Idempotency-Key: must have at most ${maxKeyLength} characters.`);
}
