import type { ConnectBody, ConnectSnippet } from '../../../src/http/hub.contract.ts';

export type Transport = 'http' | 'stdio';

/** The snippets of each way, in their order; a way without snippets is left out. */
export function snippetsByTransport(
  snippets: readonly ConnectSnippet[],
  hub: Pick<ConnectBody, 'url'>,
): Map<Transport, ConnectSnippet[]> {
  return Map.groupBy(snippets, (snippet) => snippetTransport(snippet, hub));
}

/** A snippet that names the hub's address speaks HTTP; any other starts the command. */
function snippetTransport(snippet: ConnectSnippet, hub: Pick<ConnectBody, 'url'>): Transport {
  return snippet.text.includes(hub.url) ? 'http' : 'stdio';
}
