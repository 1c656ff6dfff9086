import { HubError } from '../base/hub-error.ts';
import type { Peer } from './peer.ts';

/** Of one answer, streamed or not. */
const maxBytes = 16 * 1024 * 1024;

/** Where the card is: the address itself when it names a file, else the well-known place below it. */
export function cardAddress({ url }: Pick<Peer, 'url'>): string {
  const address = new URL(url);
  if (address.pathname.endsWith('.json')) return address.href;
  address.pathname = `${address.pathname.replace(/\/+$/, '')}/.well-known/agent-card.json`;
  return address.href;
}

/**
 * A fetch for one peer: with its headers, to its own host only (a card could name any address, and the headers hold secrets),
 * and never more than a limit of bytes.
 */
export function peerFetch(name: string, peer: Peer): typeof fetch {
  const { origin } = new URL(peer.url);
  return async (input, init) => {
    const address = new URL(input instanceof Request ? input.url : input);
    if (address.origin !== origin) {
      throw new HubError(
        'TOOL_ERROR',
        `The card of peer "${name}" names an address on another host (${address.origin.slice(0, 200)}) than its own (${origin}). It was not called.`,
      );
    }
    const headers = new Headers(input instanceof Request ? input.headers : undefined);
    for (const [header, value] of new Headers(init?.headers)) headers.set(header, value);
    for (const [header, value] of Object.entries(peer.headers)) headers.set(header, value);
    if (peer.bearer !== undefined) headers.set('authorization', `Bearer ${peer.bearer}`);
    // Another address than the one that was checked would get the headers too.
    const response = await fetch(input, { ...init, headers, redirect: 'error' });
    return limited(name, response, init?.method === 'POST');
  };
}

function limited(name: string, response: Response, mayHaveRun: boolean): Response {
  if (!response.body) return response;
  let bytes = 0;
  const counted = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.byteLength;
        if (bytes <= maxBytes) controller.enqueue(chunk);
        else {
          const message = `The peer "${name}" answered with more than ${maxBytes} bytes.`;
          controller.error(new HubError('TOO_LARGE', message, { details: { mayHaveRun } }));
        }
      },
    }),
  );
  const { status, statusText, headers } = response;
  return new Response(counted, { status, statusText, headers });
}
