import type { IncomingMessage } from 'node:http';
import { RpcError, rpcCodes } from '../protocol/protocol.ts';

const maxBytes = 4 * 1024 * 1024;

/** The body as text. Throws 413 as soon as it is too long. */
export function readBody(request: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > maxBytes) {
        request.removeAllListeners('data');
        request.resume();
        return reject(tooLarge());
      }
      chunks.push(chunk);
    });
    request.on('end', () =>
      resolve((chunks.length === 1 ? (chunks[0] ?? Buffer.alloc(0)) : Buffer.concat(chunks)).toString()),
    );
    request.on('error', () => reject(aborted()));
    request.on('close', () => {
      if (!request.complete) reject(aborted());
    });
  });
}

function tooLarge(): RpcError {
  return new RpcError(rpcCodes.invalidRequest, `The body is larger than ${maxBytes} bytes.`, { status: 413 });
}

function aborted(): RpcError {
  return new RpcError(rpcCodes.parseError, 'The body did not arrive.', { status: 400 });
}
