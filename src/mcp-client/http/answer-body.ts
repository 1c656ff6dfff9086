import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { unpackedBody } from '../../base/http-request.ts';
import { webHeaders } from './http-fetch.ts';

/** An answer as its server meant it, with headers that fit what is read. */
export interface AnswerBody {
  body: Readable;
  headers: Headers;
}

/** Answers that need no body; a proxy may call an empty one compressed. */
const withoutBody = new Set([202, 204, 205, 304]);

/** Limits hold for what is unpacked: whoever reads stops, and the connection is cut. Throws for a compression that is not known. */
export async function answerBody(incoming: IncomingMessage): Promise<AnswerBody> {
  const headers = webHeaders(incoming);
  const isEmpty = withoutBody.has(incoming.statusCode ?? 0) || headers.get('content-length') === '0';
  if (isEmpty || !headers.has('content-encoding')) return { body: incoming, headers };
  try {
    const body = await unpackedBody(incoming);
    headers.delete('content-encoding');
    headers.delete('content-length');
    return { body, headers };
  } catch (error) {
    incoming.destroy();
    throw error;
  }
}
