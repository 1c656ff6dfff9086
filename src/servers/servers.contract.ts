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

/** A server with its tools by name and status alone: thousands of tools have megabytes of schemas. */
const ServerSummary = ServerInfo.omit({ instructions: true }).extend({
  tools: z.array(ServerTool.pick({ remoteName: true, localName: true, status: true })),
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
    description: 'Tools are named with their status; reading one server shows all there is of them.',
    answer: 'By name, with state and names of tools.',
    output: z.object({ servers: z.array(ServerSummary) }),
  },
  'POST /api/servers': {
    ...one,
    ...input,
    summary: 'Add a server',
    description: 'It is connected at once, in the background.',
    status: 201,
    errors: [400, 409],
  },
  'POST /api/servers/test': {
    right: 'administer',
    ...input,
    hasOwnLimits: true,
    summary: 'Try a server',
    description: 'Connects, lists its tools, ends it, and keeps nothing.',
    answer: 'What the server said.',
    output: ServerTrial,
    errors: [400, 408, 409, 503],
  },
  'POST /api/servers/import': {
    right: 'administer',
    hasOwnLimits: true,
    summary: 'Add servers from the config of another client',
    description: 'Takes the JSON that Claude, Cursor and VS Code write.',
    body: z.strictObject({ text: z.string().min(1).max(1_000_000), dryRun: z.boolean().default(false) }),
    example: { text: '{"mcpServers": {}}', dryRun: true },
    answer: 'What was found, and what was added.',
    output: ImportedServers,
    errors: [400],
  },
  'GET /api/servers/{name}': { ...one, summary: 'Read a server', errors: [404] },
  'PUT /api/servers/{name}': {
    ...one,
    summary: 'Change a server',
    description: 'Masked secrets keep their value. Without a revision the last writer wins.',
    body: z.strictObject({ definition: ServerDefinition, revision: z.int().nullable().default(null) }),
    example: { definition: input.example.definition, revision: null },
    errors: [400, 403, 404, 409],
    deniedCode: 'read_only',
  },
  'DELETE /api/servers/{name}': {
    right: 'administer',
    summary: 'Remove a server',
    description: 'Its processes end and its tools go.',
    answer: 'It is gone.',
    output: z.object({ success: z.literal(true), name: z.string() }),
    errors: [403, 404],
    deniedCode: 'read_only',
  },
  'POST /api/servers/{name}/connect': { ...one, summary: 'Connect a server now', errors: [404, 408, 409, 503] },
  'POST /api/servers/{name}/disconnect': { ...one, summary: 'End the connection of a server', errors: [404] },
  'POST /api/servers/{name}/reconnect': { ...one, summary: 'Connect a server anew', errors: [404, 408, 409, 503] },
  'GET /api/servers/{name}/log': {
    right: 'administer',
    summary: 'Read what a server wrote last',
    answer: 'Oldest first.',
    output: z.object({ lines: z.array(ServerLogLine) }),
    errors: [404],
  },
  'POST /api/servers/{name}/accept': {
    ...one,
    summary: 'Accept new and changed tools',
    description:
      'Without "tools" all that wait. A hash guards what was seen: 409 when the server proposes something else by now.',
    body: z.strictObject({
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
    summary: 'Turn a tool on or off, rename or describe it',
    body: z.strictObject({
      enabled: z.boolean().exactOptional(),
      alias: z
        .string()
        .regex(/^[A-Za-z0-9_.-]{1,64}$/, 'must be 1–64 of A–Z a–z 0–9 _ . -')
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
    summary: 'Begin to sign in to a server',
    description: 'OAuth with PKCE: open the address in a browser; it comes back to /oauth/callback.',
    answer: 'The address, or null when no sign-in is needed.',
    output: z.object({ url: z.string().nullable() }),
    errors: [400, 404, 503],
  },
  'POST /api/servers/{name}/sign-out': { ...one, summary: 'Forget the tokens of a server', errors: [404] },
  'GET /oauth/callback': {
    // The provider sends the browser here; `state` proves which sign-in it belongs to.
    right: 'use',
    hasOwnLimits: true,
    summary: 'Where a browser comes back to after signing in',
    query: z.looseObject({
      state: z.string().max(1_000).optional(),
      code: z.string().max(10_000).optional(),
      iss: z.string().max(2_000).optional(),
      error: z.string().max(200).optional(),
      error_description: z.string().max(2_000).optional(),
    }),
    answer: 'A page that says how it went.',
    contentType: 'text/html',
    errors: [400],
  },
});
