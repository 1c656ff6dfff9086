import type { HubError } from '../../base/hub-error.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Asking } from '../protocol/ask-by-retry.ts';
import { checkCapability } from '../protocol/capabilities.ts';
import type { Peer } from '../protocol/exchange.ts';
import { isObject, RpcError, rpcCodes } from '../protocol/protocol.ts';

/** An address that a person must visit before a tool of an external server can run. */
type UrlElicitation = JsonObject & { url: string; message: string };

/** What the server of a tool demanded with error -32042, as it sent it; undefined for every other failure. */
function urlDemandOf({ cause }: HubError): (JsonObject & { elicitations: UrlElicitation[] }) | undefined {
  if (!isObject(cause) || cause.code !== rpcCodes.urlElicitationRequired || !isObject(cause.data)) return undefined;
  const { elicitations } = cause.data;
  const valid = Array.isArray(elicitations) ? elicitations.filter(isUrlElicitation) : [];
  return valid.length === 0 ? undefined : { ...cause.data, elicitations: valid };
}

/** No other scheme is for a browser to open at the word of a server. */
function isUrlElicitation(value: unknown): value is UrlElicitation {
  return (
    isObject(value) &&
    value.mode === 'url' &&
    typeof value.message === 'string' &&
    typeof value.url === 'string' &&
    /^https?:\/\//i.test(value.url)
  );
}

/** For revisions with sessions: the server's own error, to a client that can show addresses. */
export function urlErrorFor(peer: Peer, error: HubError): RpcError | undefined {
  const data = urlDemandOf(error);
  if (!data || checkCapability(peer.capabilities, 'elicitation/create', { mode: 'url' })) return undefined;
  return new RpcError(rpcCodes.urlElicitationRequired, error.message, { data });
}

/**
 * Revision 2026-07-28 has no such error: the addresses are questions, which the client answers by calling again. One that was
 * answered and is still demanded is not asked again; the call then ends with the error. Throws where the client cannot show addresses.
 */
export async function askToVisit({ client }: Asking, error: HubError): Promise<void> {
  const { elicitations = [] } = urlDemandOf(error) ?? {};
  const asked = elicitations.map(({ url, message }) => client.elicit({ mode: 'url', message, url }));
  for (const result of await Promise.allSettled(asked)) {
    if (result.status === 'rejected' && isObject(result.reason?.details?.requiredCapabilities)) throw result.reason;
  }
}
