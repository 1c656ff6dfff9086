import { z } from 'zod';

/**
 * Servers in the format of the public MCP registry (`server.json`). They are foreign data: unknown fields are dropped, and
 * fields that the hub needs are checked.
 */

const text = z.string().max(2_000);
const webAddress = z.url({ protocol: /^https?$/ }).max(2_000);

const input = {
  description: text.optional(),
  isRequired: z.boolean().default(false),
  isSecret: z.boolean().default(false),
  format: z.enum(['string', 'number', 'boolean', 'filepath']).default('string').catch('string'),
  /** A fixed value. `{name}` in it stands for a variable. */
  value: z.string().max(10_000).optional(),
  default: z.string().max(10_000).optional(),
  placeholder: text.optional(),
  choices: z.array(z.string().max(1_000)).max(500).optional(),
};
const CatalogueInput = z.object(input);
export type CatalogueInput = z.infer<typeof CatalogueInput>;

const variables = z.record(z.string().max(200), CatalogueInput).default({});
const withVariables = { ...input, variables };

const NamedInput = z.object({ name: z.string().min(1).max(200), ...withVariables });
export type NamedInput = z.infer<typeof NamedInput>;

const CatalogueArgument = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('positional'),
    valueHint: z.string().max(200).optional(),
    isRepeated: z.boolean().default(false),
    ...withVariables,
  }),
  z.object({
    type: z.literal('named'),
    /** The flag with its dashes. */
    name: z.string().min(1).max(200),
    isRepeated: z.boolean().default(false),
    ...withVariables,
  }),
]);
export type CatalogueArgument = z.infer<typeof CatalogueArgument>;

const CataloguePackage = z.object({
  registryType: z.string().max(100),
  registryBaseUrl: z.string().max(2_000).optional(),
  identifier: z.string().min(1).max(2_000),
  version: z.string().max(255).optional(),
  runtimeHint: z.string().max(200).optional(),
  transport: z.object({ type: z.string().max(100) }),
  runtimeArguments: z.array(CatalogueArgument).max(200).default([]),
  packageArguments: z.array(CatalogueArgument).max(200).default([]),
  environmentVariables: z.array(NamedInput).max(200).default([]),
});
export type CataloguePackage = z.infer<typeof CataloguePackage>;

const CatalogueRemote = z.object({
  type: z.string().max(100),
  url: z.string().min(1).max(2_000),
  headers: z.array(NamedInput).max(100).default([]),
  variables,
});
export type CatalogueRemote = z.infer<typeof CatalogueRemote>;

export const CatalogueServer = z.object({
  /** Unique, such as `io.github.ada/weather`. */
  name: z
    .string()
    .max(200)
    .regex(/^[A-Za-z0-9.-]+\/[A-Za-z0-9._-]+$/, 'must be a namespace and a name, such as io.github.ada/weather'),
  title: z.string().max(200).optional(),
  description: text,
  version: z.string().max(255),
  websiteUrl: webAddress.optional().catch(undefined),
  repository: z.object({ url: webAddress }).optional().catch(undefined),
  packages: z.array(CataloguePackage).max(50).default([]),
  remotes: z.array(CatalogueRemote).max(50).default([]),
});
export type CatalogueServer = z.infer<typeof CatalogueServer>;

/** Where the last update came from, and when. */
export const CatalogueUpdate = z.object({
  from: z.string().max(10_000).describe('A URL, or the name of a file.'),
  at: z.number().describe('Milliseconds since the epoch.'),
});
export type CatalogueUpdate = z.infer<typeof CatalogueUpdate>;

/** What an update leaves in the data folder. */
export const StoredCatalogue = CatalogueUpdate.extend({ servers: z.array(CatalogueServer) });
export type StoredCatalogue = z.infer<typeof StoredCatalogue>;

const CatalogueEntry = z.object({
  server: CatalogueServer,
  /** Whether it comes with the product. Other entries come from the last update. */
  isBundled: z.boolean(),
});
export type CatalogueEntry = z.infer<typeof CatalogueEntry>;

export const CataloguePage = z.object({
  /** The best matches, in order. */
  entries: z.array(CatalogueEntry),
  /** The number of servers that match. */
  matches: z.int(),
  /** The number of servers in the catalogue. */
  size: z.int(),
  updated: CatalogueUpdate.nullable(),
});
export type CataloguePage = z.infer<typeof CataloguePage>;

/** The list of the public MCP registry. It is fetched only when the user asks for it. */
export const publicRegistry = 'https://registry.modelcontextprotocol.io/v0.1/servers?version=latest&limit=100';
