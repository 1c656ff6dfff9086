import type { AgentCard } from '@a2a-js/sdk';
import {
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from '@a2a-js/sdk/client';
import { type A2ARequestHandler, ServerCallContext } from '@a2a-js/sdk/server';
import { isNeverSent } from '../base/never-sent.ts';
import type { Peer } from './peer.ts';
import { cardAddress, peerFetch } from './peer-fetch.ts';
import { type Correspondent, toHubError } from './send-message.ts';

/** A peer elsewhere, of 1.0 or 0.3, with its card as it sent it. Throws TOOL_ERROR, UNAVAILABLE, TOO_LARGE. */
export async function remoteCorrespondent(
  peerName: string,
  peer: Peer,
  signal: AbortSignal,
): Promise<Correspondent & { card: AgentCard }> {
  const name = `peer "${peerName}"`;
  const guarded = peerFetch(peerName, peer);
  /** What the message was replied to with, which is the first that is sent; the card is only read. */
  let status: number | undefined;
  // The card is asked for without a signal of its own.
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
      // What stands before a peer replies 502 and 504 also after the peer began.
      mayHaveTaken: (error) => (status === undefined ? !isNeverSent(error) : status < 400 || status >= 500),
    };
  } catch (error) {
    throw toHubError({ name }, error, { mayHaveRun: false });
  }
}

/** An agent of this hub, without a detour over HTTP. `open` makes a handler that waits until the signal. */
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
    mayHaveTaken: () => true,
  };
}
