import { z } from 'zod';
import { HubError, toHubError } from '../../base/hub-error.ts';
import { type JsonLimits, parseJson } from '../../base/json.ts';
import { parseWith } from '../../base/validate.ts';
import { CatalogueServer } from './catalogue.ts';
import { waysToAdd } from './ways-to-add.ts';

/** The limits of one page or file. */
export const catalogueLimits: JsonLimits = {
  maxCharacters: 16 * 1024 * 1024,
  maxDepth: 32,
  maxElements: 2_000_000,
};

/** Well-known servers need a few thousand. */
const maxEntryCharacters = 256 * 1024;

const official = 'io.modelcontextprotocol.registry/official';
const Status = z.looseObject({ status: z.string().optional(), isLatest: z.boolean().optional() });
/** The registry's own notes about a server. */
const Notes = z.looseObject({ [official]: Status.optional().catch(undefined) });

const ListedServer = z.object({ server: CatalogueServer, _meta: Notes.optional().catch(undefined) });
/** Files may also list the servers themselves. */
const Listed = z.union(
  [
    z.looseObject({ server: z.unknown().refine((server) => server !== undefined) }),
    z.looseObject({ name: z.unknown().refine((name) => name !== undefined) }),
  ],
  'must be a server.json, or an object with one as "server"',
);
/** A page of a registry. */
const RegistryPage = z.object({
  servers: z.array(z.unknown()),
  metadata: z
    .object({ nextCursor: z.string().max(2_000).optional() })
    .optional()
    .catch(undefined),
});

export interface ReadCatalogue {
  servers: CatalogueServer[];
  /** The servers that are withdrawn, older versions, malformed, or of a kind that the hub cannot run. */
  leftOut: number;
  /** What is wrong with the first malformed one. */
  problem: HubError | undefined;
  nextCursor: string | undefined;
}

/**
 * Reads a page of a registry, a list of `server.json` objects, or a single one. A malformed entry is left out. Throws INVALID_FORMAT if
 * it is no list.
 */
export function readCatalogue(text: string): ReadCatalogue {
  const page = parseWith(RegistryPage, asPage(parse(text)), invalid);
  const servers: CatalogueServer[] = [];
  let problem: HubError | undefined;
  for (const [index, each] of page.servers.entries()) {
    try {
      const { server, _meta } = readEntry(each, `${invalid.what}: servers[${index}]`);
      const { status = 'active', isLatest = true } = _meta?.[official] ?? {};
      if (status === 'active' && isLatest && waysToAdd(server).length > 0) servers.push(server);
    } catch (error) {
      problem ??= toHubError(error);
    }
  }
  return {
    servers,
    leftOut: page.servers.length - servers.length,
    problem,
    nextCursor: page.metadata?.nextCursor || undefined,
  };
}

function readEntry(value: unknown, what: string): z.infer<typeof ListedServer> {
  if (JSON.stringify(value).length > maxEntryCharacters)
    throw new HubError('INVALID_FORMAT', `${what}: must have at most ${maxEntryCharacters} characters.`);
  const each = parseWith(Listed, value, { ...invalid, what });
  return parseWith(ListedServer, 'server' in each ? each : { server: each }, { ...invalid, what });
}

const invalid = { code: 'INVALID_FORMAT', what: 'The list is not in the format of the MCP registry' } as const;

function parse(text: string): unknown {
  try {
    return parseJson(text.replace(/^\ufeff/, ''), catalogueLimits);
  } catch (error) {
    if (!(error instanceof HubError) || error.code !== 'INVALID_ARGUMENTS') throw error;
    throw new HubError('INVALID_FORMAT', `${invalid.what}: ${error.message}`, { cause: error });
  }
}

function asPage(value: unknown): unknown {
  if (Array.isArray(value)) return { servers: value };
  const isOne = typeof value === 'object' && value !== null && 'name' in value && !('servers' in value);
  return isOne ? { servers: [value] } : value;
}
