import { guardedFetch } from '../../base/guarded-fetch.ts';
import { HubError } from '../../base/hub-error.ts';
import { hostOf } from '../../base/public-addresses.ts';
import type { CatalogueServer } from './catalogue.ts';
import { catalogueLimits, readCatalogue } from './read-catalogue.ts';

/** The limits of one list, with all its pages. */
const listLimits = { servers: 50_000, pages: 1_000, characters: 64 * 1024 * 1024 };
const maxRedirects = 5;
const pageTimeoutMs = 30_000;

export interface FetchedCatalogue {
  servers: CatalogueServer[];
  leftOut: number;
  /** What is wrong with the first malformed server. */
  problem: HubError | undefined;
}

/**
 * Fetches a list of servers, page by page. The host that the user named may be private; one that it redirects to may not. Throws
 * the errors of `guardedFetch`, INVALID_FORMAT and TOO_LARGE.
 */
export async function fetchCatalogue(
  address: string,
  signal: AbortSignal,
  limits = listLimits,
): Promise<FetchedCatalogue> {
  const first = new URL(address);
  const seen = new Set<string>();
  const servers: CatalogueServer[] = [];
  let [leftOut, characters] = [0, 0];
  let problem: HubError | undefined;
  let cursor: string | undefined;
  do {
    const url = new URL(first);
    if (cursor !== undefined) url.searchParams.set('cursor', cursor);
    const text = await fetchPage(url, first, signal);
    characters += text.length;
    const page = readCatalogue(text);
    servers.push(...page.servers);
    leftOut += page.leftOut;
    problem ??= page.problem;
    const size = { servers: servers.length, pages: seen.size + 1, characters };
    for (const what of ['characters', 'servers', 'pages'] as const) {
      if (size[what] <= limits[what]) continue;
      const message = `The list at ${first.origin} has more than ${limits[what]} ${what}. Narrow it, for example with ?search=WORD.`;
      throw new HubError('TOO_LARGE', message);
    }
    cursor = page.nextCursor;
    if (cursor !== undefined && seen.has(cursor))
      throw new HubError('INVALID_FORMAT', `The list at ${first.origin} repeats its pages. Use another address.`);
    if (cursor !== undefined) seen.add(cursor);
  } while (cursor !== undefined);
  return { servers, leftOut, problem };
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
