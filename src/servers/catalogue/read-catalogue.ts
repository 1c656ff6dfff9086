import { z } from 'zod';
import { HubError } from '../../base/hub-error.ts';
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

const official = 'io.modelcontextprotocol.registry/official';
const Status = z.looseObject({ status: z.string().optional(), isLatest: z.boolean().optional() });
/** The registry's own notes about a server. */
const Notes = z.looseObject({ [official]: Status.optional().catch(undefined) });

const ListedServer = z.object({ server: CatalogueServer, _meta: Notes.optional().catch(undefined) });
/** A page of a registry. Files may also list the servers themselves. */
const RegistryPage = z.object({
  servers: z.array(
    z.union(
      [
        z.looseObject({ server: z.unknown().refine((server) => server !== undefined) }),
        z.looseObject({ name: z.unknown().refine((name) => name !== undefined) }),
      ],
      'must be a server.json, or an object with one as "server"',
    ),
  ),
  metadata: z
    .object({ nextCursor: z.string().max(2_000).optional() })
    .optional()
    .catch(undefined),
});

export interface ReadCatalogue {
  servers: CatalogueServer[];
  /** The servers that are withdrawn, older versions, or of a kind that the hub cannot run. */
  leftOut: number;
  nextCursor: string | undefined;
}

/** Reads a page of a registry, a list of `server.json` objects, or a single one. Throws INVALID_FORMAT that names the field. */
export function readCatalogue(text: string): ReadCatalogue {
  const page = parseWith(RegistryPage, asPage(parse(text)), invalid);
  const servers: CatalogueServer[] = [];
  for (const [index, each] of page.servers.entries()) {
    const listed = 'server' in each ? each : { server: each };
    const { server, _meta } = parseWith(ListedServer, listed, {
      ...invalid,
      what: `${invalid.what}: servers[${index}]`,
    });
    const { status = 'active', isLatest = true } = _meta?.[official] ?? {};
    if (status === 'active' && isLatest && waysToAdd(server).length > 0) servers.push(server);
  }
  return {
    servers,
    leftOut: page.servers.length - servers.length,
    nextCursor: page.metadata?.nextCursor || undefined,
  };
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
