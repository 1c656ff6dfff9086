import { guardedFetch } from '../../base/guarded-fetch.ts';
import { HubError } from '../../base/hub-error.ts';
import { hostOf } from '../../base/public-addresses.ts';
import type { CatalogueServer } from './catalogue.ts';
import { catalogueLimits, readCatalogue } from './read-catalogue.ts';

/** The servers of one list, on all its pages. */
const maxServers = 50_000;
const maxPages = 1_000;
const maxRedirects = 5;
const pageTimeoutMs = 30_000;

export interface FetchedCatalogue {
  servers: CatalogueServer[];
  leftOut: number;
}

/**
 * Fetches a list of servers, page by page. The host that the user named may be private; one that it redirects to may not. Throws
 * the errors of `guardedFetch`, INVALID_FORMAT and TOO_LARGE.
 */
export async function fetchCatalogue(address: string, signal: AbortSignal): Promise<FetchedCatalogue> {
  const first = new URL(address);
  const seen = new Set<string>();
  const servers: CatalogueServer[] = [];
  let leftOut = 0;
  let cursor: string | undefined;
  do {
    const url = new URL(first);
    if (cursor !== undefined) url.searchParams.set('cursor', cursor);
    const page = readCatalogue(await fetchPage(url, first, signal));
    servers.push(...page.servers);
    leftOut += page.leftOut;
    if (servers.length > maxServers || seen.size >= maxPages) {
      throw new HubError(
        'TOO_LARGE',
        `The list at ${first.origin} has more than ${servers.length > maxServers ? `${maxServers} servers` : `${maxPages} pages`}. Narrow it, for example with ?search=WORD.`,
      );
    }
    cursor = page.nextCursor;
    if (cursor !== undefined && seen.has(cursor))
      throw new HubError('INVALID_FORMAT', `The list at ${first.origin} repeats its pages. Use another address.`);
    if (cursor !== undefined) seen.add(cursor);
  } while (cursor !== undefined);
  return { servers, leftOut };
}

async function fetchPage(url: URL, named: URL, signal: AbortSignal): Promise<string> {
  const { status, body } = await guardedFetch(
    { url, method: 'GET', headers: { accept: 'application/json' } },
    {
      signal,
      timeoutMs: pageTimeoutMs,
      maxRedirects,
      maxBytes: catalogueLimits.maxCharacters,
      allows: (host, port) => host === hostOf(named) && port === portOf(named),
      refuse: ({ what }) =>
        new HubError('PERMISSION_DENIED', `${what}, and ${named.host} redirected to it. Use that address directly.`),
    },
  );
  if (status === 200) return body.toString('utf8');
  throw new HubError(
    'UNAVAILABLE',
    `${url.origin} replied with status ${status} instead of a list of servers. Check the address.`,
  );
}

function portOf({ port, protocol }: URL): string {
  return port || (protocol === 'https:' ? '443' : '80');
}
