import type { ConnectBody, ConnectSnippet } from '../../../src/http/hub.contract.ts';

export type Transport = 'http' | 'stdio';

/** Groups the snippets by transport, in order. Transports without snippets are left out. */
export function snippetsByTransport(
  snippets: readonly ConnectSnippet[],
  hub: Pick<ConnectBody, 'url'>,
): Map<Transport, ConnectSnippet[]> {
  return Map.groupBy(snippets, (snippet) => snippetTransport(snippet, hub));
}

/** A snippet with the hub's URL uses HTTP; any other starts the command. */
function snippetTransport(snippet: ConnectSnippet, hub: Pick<ConnectBody, 'url'>): Transport {
  return snippet.text.includes(hub.url) ? 'http' : 'stdio';
}
