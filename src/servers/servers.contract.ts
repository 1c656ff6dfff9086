import { z } from 'zod';
import { defineContract } from '../base/contract.ts';
import { ServerDefinition, ServerName, serverLimits } from './server-definition.ts';
import { ServerInfo, ServerLogLine, ServerTool, ServerTrial } from './servers.ts';

const ServerInput = z.strictObject({ name: ServerName, definition: ServerDefinition });
const input = {
  body: ServerInput,
  example: {
    name: 'files',
    definition: { transport: 'stdio', command: 'npx', args: ['-y', 'some-mcp-server'] },
  },
} as const;
const one = { right: 'administer', answer: 'The server.', output: ServerInfo } as const;

/** Only the names and the status: the schemas of thousands of tools take megabytes. */
const ToolSummary = ServerTool.pick({ remoteName: true, localName: true, status: true });
const ServerSummary = ServerInfo.omit({ instructions: true }).extend({
  tools: z.array(ToolSummary),
  elsewhere: z.array(ToolSummary),
});
export type ServerSummary = z.infer<typeof ServerSummary>;

const ImportedServers = z.object({
  servers: z.array(z.object({ name: z.string(), definition: ServerDefinition })),
  problems: z.array(z.object({ name: z.string(), message: z.string() })),
  added: z.array(z.string()),
});
export type ImportedServers = z.infer<typeof ImportedServers>;

export const serversContract = defineContract('Servers', {
  'GET /api/servers': {
    right: 'administer',
    summary: 'List external MCP servers',
    description: 'Lists tools by name and status. Read a single server for their full definitions.',
    answer: 'The servers, sorted by name.',
    output: z.object({ servers: z.array(ServerSummary) }),
  },
  'POST /api/servers': {
    ...one,
    ...input,
    summary: 'Add a server',
    description: 'The hub connects to it in the background.',
    status: 201,
    errors: [400, 409],
  },
  'POST /api/servers/test': {
    right: 'administer',
    ...input,
    hasOwnLimits: true,
    summary: 'Test a server',
    description: 'Connects to the server, lists its tools and disconnects. Saves nothing.',
    answer: 'The server and its tools.',
    output: ServerTrial,
    errors: [400, 408, 409, 503],
  },
  'POST /api/servers/import': {
    right: 'administer',
    hasOwnLimits: true,
    summary: 'Import servers from the config of another client',
    description: 'Accepts the config of Claude, Cursor, VS Code and other clients as JSON, and of Codex as TOML.',
    body: z.strictObject({ text: z.string().min(1).max(1_000_000), dryRun: z.boolean().default(false) }),
    example: { text: '{"mcpServers": {}}', dryRun: true },
    answer: 'The servers that were found, and the ones that were added.',
    output: ImportedServers,
    errors: [400],
  },
  'GET /api/servers/{name}': { ...one, summary: 'Read a server', errors: [404] },
  'PUT /api/servers/{name}': {
    ...one,
    summary: 'Change a server',
    description: 'Masked secrets keep their values. Without a revision, the last write wins.',
    body: z.strictObject({ definition: ServerDefinition, revision: z.int().nullable().default(null) }),
    example: { definition: input.example.definition, revision: null },
    errors: [400, 403, 404, 409],
    deniedCode: 'read_only',
  },
  'DELETE /api/servers/{name}': {
    right: 'administer',
    summary: 'Remove a server',
    description: 'Stops its processes and removes its tools.',
    answer: 'The server was removed.',
    output: z.object({ success: z.literal(true), name: z.string() }),
    errors: [403, 404],
    deniedCode: 'read_only',
  },
  'POST /api/servers/{name}/connect': { ...one, summary: 'Connect to a server', errors: [404, 408, 409, 503] },
  'POST /api/servers/{name}/disconnect': { ...one, summary: 'Disconnect from a server', errors: [404] },
  'POST /api/servers/{name}/reconnect': { ...one, summary: 'Reconnect to a server', errors: [404, 408, 409, 503] },
  'GET /api/servers/{name}/log': {
    right: 'administer',
    summary: 'Read the log of a server',
    answer: 'The latest lines, oldest first.',
    description: 'Each process of the hub has the log of the server processes that it started.',
    output: z.object({
      lines: z.array(ServerLogLine),
      from: z.string().describe('The machine of the process whose log it is.'),
    }),
    errors: [404],
  },
  'POST /api/servers/{name}/accept': {
    ...one,
    summary: 'Accept new and changed tools',
    shownFields: ['tools', 'version'],
    description:
      'Without "tools", accepts all pending tools; with "version", only those of that version of the server. Send the hash of the definition you reviewed: the reply is 409 if the server has changed it since.',
    body: z.strictObject({
      version: z.string().max(200).optional(),
      tools: z
        .array(z.strictObject({ tool: z.string().max(1_000), hash: z.string().max(200).optional() }))
        .max(20_000)
        .optional(),
    }),
    isBodyOptional: true,
    example: { tools: [{ tool: 'read_file' }] },
    errors: [400, 404, 409],
  },
  'PATCH /api/servers/{name}/tools/{tool}': {
    ...one,
    summary: 'Change a tool of a server',
    shownFields: ['enabled', 'alias', 'requiresApproval'],
    body: z.strictObject({
      enabled: z.boolean().exactOptional(),
      alias: z
        .string()
        .regex(/^[A-Za-z0-9_.-]{1,64}$/, 'must be 1–64 characters from A–Z a–z 0–9 _ . -')
        .nullable()
        .exactOptional(),
      description: z.string().max(serverLimits.description).nullable().exactOptional(),
      requiresApproval: z.boolean().nullable().exactOptional(),
    }),
    example: { enabled: false },
    errors: [400, 404, 409],
  },
  'POST /api/servers/{name}/sign-in': {
    right: 'administer',
    hasOwnLimits: true,
    summary: 'Start signing in to a server',
    description: 'OAuth with PKCE: open the address in a browser, which returns to /oauth/callback.',
    answer: 'The address to open, or null if no sign-in is needed.',
    output: z.object({ url: z.string().nullable() }),
    errors: [400, 404, 503],
  },
  'POST /api/servers/{name}/sign-out': { ...one, summary: 'Sign out of a server', errors: [404] },
  'GET /oauth/callback': {
    // The provider sends the browser here, without its cookie. `state` proves which sign-in it belongs to.
    right: 'none',
    hasOwnLimits: true,
    summary: 'Complete a sign-in',
    query: z.looseObject({
      state: z.string().max(1_000).optional(),
      code: z.string().max(10_000).optional(),
      iss: z.string().max(2_000).optional(),
      error: z.string().max(200).optional(),
      error_description: z.string().max(2_000).optional(),
    }),
    answer: 'A page with the result.',
    contentType: 'text/html',
    errors: [400],
  },
});
