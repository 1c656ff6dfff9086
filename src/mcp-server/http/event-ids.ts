import type { RpcId } from '../protocol/protocol.ts';

/** The place of an event: the process that has the stream, the stream, and the number of the event. */
export interface EventPlace {
  process: string;
  /** The name of the stream, unique in its session. */
  stream: string;
  /** Whether the stream belongs to the session, not to a call. */
  isSessionStream: boolean;
  /** The id of the call's request, unless it is too long. */
  requestId: RpcId | undefined;
  number: number;
}

const maxIdCharacters = 100;
const pattern = /^(([0-9a-f]{16})\.([gs])\d{1,15}(?:\.([\w-]{1,400}))?)-(\d{1,15})$/;

/** Names the stream of a session. */
export function sessionStreamName(process: string, count: number): string {
  return `${process}.g${count}`;
}

/** Names the stream of a call. The name contains the request's id, so that any process can reply to a client that resumes the stream. */
export function callStreamName(process: string, count: number, requestId: RpcId): string {
  const id = JSON.stringify(requestId);
  return `${process}.s${count}${id.length > maxIdCharacters ? '' : `.${Buffer.from(id).toString('base64url')}`}`;
}

/** Reads a `Last-Event-ID`. Returns undefined if it is not one of ours. */
export function readEventId(text: string): EventPlace | undefined {
  const [, stream, process, kind, id, number] = pattern.exec(text) ?? [];
  if (stream === undefined || process === undefined) return undefined;
  return {
    process,
    stream,
    isSessionStream: kind === 'g',
    requestId: id === undefined ? undefined : readRequestId(id),
    number: Number(number),
  };
}

function readRequestId(encoded: string): RpcId | undefined {
  try {
    const id: unknown = JSON.parse(Buffer.from(encoded, 'base64url').toString());
    return typeof id === 'string' || typeof id === 'number' ? id : undefined;
  } catch {
    return undefined;
  }
}
