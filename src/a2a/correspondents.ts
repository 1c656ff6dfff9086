import type { AgentCard } from '@a2a-js/sdk';
import {
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from '@a2a-js/sdk/client';
import { type A2ARequestHandler, ServerCallContext } from '@a2a-js/sdk/server';
import { HubError } from '../base/hub-error.ts';
import { isNeverSent } from '../base/never-sent.ts';
import type { Peer } from './peer.ts';
import { type Correspondent, toHubError } from './send-message.ts';

/** Connects to a remote peer (A2A 1.0 or 0.3) and reads its card. Throws TOOL_ERROR, UNAVAILABLE and TOO_LARGE. */
export async function remoteCorrespondent(
  peerName: string,
  peer: Peer,
  signal: AbortSignal,
): Promise<Correspondent & { card: AgentCard }> {
  const name = `peer "${peerName}"`;
  const guarded = peerFetch(peerName, peer);
  /** The status of the reply to the message, which is the first POST; the card is read with GET. */
  let status: number | undefined;
  // The SDK requests the card without a signal.
  const fetchImpl: typeof fetch = async (input, init) => {
    const response = await guarded(input, { ...init, signal: init?.signal ?? signal });
    if (init?.method === 'POST') status ??= response.status;
    return response;
  };
  const common = { fetchImpl, legacyCompat: { enabled: true } };
  const cards = new DefaultAgentCardResolver(common);
  const transports = [new JsonRpcTransportFactory(common), new RestTransportFactory(common)];
  try {
    const card = await cards.resolve(cardAddress(peer), '');
    const client = await new ClientFactory({ transports, cardResolver: cards }).createFromAgentCard(card);
    return {
      name,
      card,
      send: (request, sending) => client.sendMessageStream(request, { signal: sending }),
      get: (id, reading) => client.getTask({ tenant: '', id }, { signal: reading }),
      cancel: (id, cancelling) => client.cancelTask({ tenant: '', id, metadata: undefined }, { signal: cancelling }),
      // A proxy may reply 502 or 504 after the peer has started.
      mayHaveArrived: (error) => (status === undefined ? !isNeverSent(error) : status < 400 || status >= 500),
    };
  } catch (error) {
    throw toHubError({ name }, error, { mayHaveRun: false });
  }
}

/** Addresses an agent of this hub directly, without HTTP. `open` returns a handler that waits until the signal aborts. */
export function localCorrespondent(
  agentId: string,
  open: (signal: AbortSignal) => Promise<A2ARequestHandler>,
): Correspondent {
  const context = new ServerCallContext({ requestedVersion: '1.0' });
  return {
    name: `agent "${agentId}"`,
    async *send(request, signal) {
      yield* (await open(signal)).sendMessageStream(request, context);
    },
    get: async (id, signal) => (await open(signal)).getTask({ tenant: '', id }, context),
    cancel: async (id, signal) => (await open(signal)).cancelTask({ tenant: '', id, metadata: undefined }, context),
    mayHaveArrived: () => true,
  };
}

/** The maximum size of one reply, streamed or not. */
const maxBytes = 16 * 1024 * 1024;

/** Returns the URL of the card: the address itself if it names a JSON file, otherwise the well-known path below it. */
function cardAddress({ url }: Pick<Peer, 'url'>): string {
  const address = new URL(url);
  if (address.pathname.endsWith('.json')) return address.href;
  address.pathname = `${address.pathname.replace(/\/+$/, '')}/.well-known/agent-card.json`;
  return address.href;
}

/**
 * Creates a `fetch` for one peer. It sends the peer's headers, calls only the peer's own origin (a card could name any address, and the
 * headers contain secrets), and limits the size of replies.
 */
function peerFetch(name: string, peer: Peer): typeof fetch {
  const { origin } = new URL(peer.url);
  return async (input, init) => {
    const address = new URL(input instanceof Request ? input.url : input);
    if (address.origin !== origin) {
      throw new HubError(
        'TOOL_ERROR',
        `The card of peer "${name}" names an address on another host: ${address.origin.slice(0, 200)} instead of ${origin}. It was not called.`,
      );
    }
    const headers = new Headers(input instanceof Request ? input.headers : undefined);
    for (const [header, value] of new Headers(init?.headers)) headers.set(header, value);
    for (const [header, value] of Object.entries(peer.headers)) headers.set(header, value);
    if (peer.bearer !== undefined) headers.set('authorization', `Bearer ${peer.bearer}`);
    // A redirect would send the headers to an address that was not checked.
    const response = await fetch(input, { ...init, headers, redirect: 'error' });
    return limitSize(name, response, init?.method === 'POST');
  };
}

function limitSize(name: string, response: Response, mayHaveRun: boolean): Response {
  if (!response.body) return response;
  let bytes = 0;
  const counted = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.byteLength;
        if (bytes <= maxBytes) controller.enqueue(chunk);
        else {
          const message = `The peer "${name}" replied with more than ${maxBytes} bytes.`;
          controller.error(new HubError('TOO_LARGE', message, { details: { mayHaveRun } }));
        }
      },
    }),
  );
  const { status, statusText, headers } = response;
  return new Response(counted, { status, statusText, headers });
}
