import { z } from 'zod';
import { defineContract } from '../../base/contract.ts';
import { defaultJsonLimits, type JsonLimits } from '../../base/json.ts';
import { CataloguePage, CatalogueUpdate, publicRegistry } from './catalogue.ts';

/** A file of 16 MB as a JSON string, in which every quote takes two characters. */
const fileBodyLimits: JsonLimits = { ...defaultJsonLimits, maxCharacters: 32 * 1024 * 1024 };

const exampleFile = JSON.stringify({
  servers: [
    {
      name: 'io.github.ada/weather',
      description: 'Tells the weather.',
      version: '1.0.0',
      remotes: [{ type: 'streamable-http', url: 'https://weather.example.com/mcp' }],
    },
  ],
});

const UpdateReport = CatalogueUpdate.extend({
  servers: z.int().describe('The number of servers in the list that can be added.'),
  leftOut: z.int().describe('The number of others: withdrawn, malformed, or of a kind that the hub cannot run.'),
});

export const catalogueContract = defineContract('Servers', {
  'GET /api/catalogue': {
    right: 'administer',
    summary: 'Search the catalogue of servers',
    description:
      'Lists well-known MCP servers in the format of the public MCP registry (server.json). Fetches nothing: the servers are those that ship with the product and those of the last update.',
    query: z.object({
      query: z.string().max(200).default(''),
      limit: z.coerce.number().int().min(1).max(100).default(50),
    }),
    answer: 'The best matches.',
    output: CataloguePage,
    errors: [400],
  },
  'POST /api/catalogue/update': {
    right: 'administer',
    hasOwnLimits: true,
    summary: 'Update the catalogue of servers',
    description:
      'Fetches a list of servers in the format of the public MCP registry, page by page. A server of the list that is malformed is left out. Servers that ship with the product are never replaced.',
    shownFields: ['url'],
    body: z.strictObject({
      url: z
        .url({ protocol: /^https?$/ })
        .max(2_000)
        .default(publicRegistry),
    }),
    isBodyOptional: true,
    example: { url: publicRegistry },
    answer: 'The update.',
    output: UpdateReport,
    errors: [400, 408, 413, 503],
  },
  'POST /api/catalogue/file': {
    right: 'administer',
    summary: 'Update the catalogue of servers from a file',
    description: 'Does the same with the text of a file, and fetches nothing.',
    shownFields: ['name'],
    body: z.strictObject({
      name: z.string().trim().min(1).max(255).describe('The name of the file, which the catalogue shows.'),
      text: z.string(),
    }),
    bodyLimits: fileBodyLimits,
    example: { name: 'servers.json', text: exampleFile },
    answer: 'The update.',
    output: UpdateReport,
    errors: [400, 413],
  },
});
