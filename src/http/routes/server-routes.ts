import { z } from 'zod';
import { parseWith } from '../../base/validate.ts';
import type { Hub } from '../../hub.ts';
import type { ExternalServers } from '../../servers/external-servers.ts';
import type { AppParts } from '../app.ts';
import { defineRoute, type Route } from '../route.ts';
import {
  AcceptInput,
  ServerBody,
  ServerChange,
  ServerImport,
  ServerImportBody,
  ServerInput,
  ServerListBody,
  ServerLogBody,
  ServerTrialBody,
  SignInBody,
  ToolSettingChange,
} from '../server-schemas.ts';
import type * as Api from '../server-types.ts';

const group = 'Servers';
const example = { transport: 'stdio', command: 'npx', args: ['-y', 'some-mcp-server'] };
const one = { status: 200, description: 'The server.', schema: ServerBody };

export function serverRoutes(hub: Hub, parts: AppParts): Route[] {
  return [...listRoutes(hub), ...connectionRoutes(hub), ...toolRoutes(hub), ...signInRoutes(hub, parts)];
}

function listRoutes(hub: Hub): Route[] {
  return [
    defineRoute({
      method: 'get',
      path: '/api/servers',
      group,
      summary: 'List external MCP servers',
      description: 'Tools are named with their status; reading one server shows all there is of them.',
      answer: { status: 200, description: 'By name, with state and names of tools.', schema: ServerListBody },
      handle: async ({ context }) => {
        const servers = (await fresh(hub)).list().map(summarize);
        return context.json({ servers } satisfies Api.ServerListBody);
      },
    }),
    defineRoute({
      method: 'post',
      path: '/api/servers',
      group,
      summary: 'Add a server',
      description: 'It is connected at once, in the background.',
      body: {
        schema: ServerInput,
        example: { name: 'files', definition: example },
      },
      answer: { ...one, status: 201 },
      errors: [400, 409],
      handle: async ({ context, body }) => {
        const { name, definition } = parseWith(ServerInput, body);
        return context.json(await (await fresh(hub)).add(name, definition), 201);
      },
    }),
    defineRoute({
      method: 'post',
      path: '/api/servers/test',
      hasOwnLimits: true,
      group,
      summary: 'Try a server',
      description: 'Connects, lists its tools, ends it, and keeps nothing.',
      body: { schema: ServerInput, example: { name: 'files', definition: example } },
      answer: { status: 200, description: 'What the server said.', schema: ServerTrialBody },
      errors: [400, 408, 409, 503],
      handle: async ({ context, body, signal }) => {
        const { name, definition } = parseWith(ServerInput, body);
        return context.json(await (await fresh(hub)).test(name, definition, { signal }));
      },
    }),
    defineRoute({
      method: 'post',
      path: '/api/servers/import',
      hasOwnLimits: true,
      group,
      summary: 'Add servers from the config of another client',
      description: 'Takes the JSON that Claude, Cursor and VS Code write.',
      body: { schema: ServerImport, example: { text: '{"mcpServers": {}}', dryRun: true } },
      answer: { status: 200, description: 'What was found, and what was added.', schema: ServerImportBody },
      errors: [400],
      handle: async ({ context, body }) => {
        const { text, dryRun } = parseWith(ServerImport, body);
        const { importServers } = await import('../../servers/import-servers.ts');
        const imported = await importServers(await fresh(hub), text, { dryRun });
        return context.json(imported satisfies Api.ServerImportBody);
      },
    }),
    defineRoute({
      method: 'get',
      path: '/api/servers/{name}',
      group,
      summary: 'Read a server',
      answer: one,
      errors: [404],
      handle: async ({ context, param }) => context.json((await fresh(hub)).get(param('name'))),
    }),
    defineRoute({
      method: 'put',
      path: '/api/servers/{name}',
      group,
      summary: 'Change a server',
      description: 'Masked secrets keep their value. Without a revision the last writer wins.',
      body: { schema: ServerChange, example: { definition: example, revision: null } },
      answer: one,
      errors: [400, 403, 404, 409],
      deniedCode: 'read_only',
      handle: async ({ context, param, body }) => {
        const { definition, revision } = parseWith(ServerChange, body);
        return context.json(await (await fresh(hub)).update(param('name'), definition, revision));
      },
    }),
    defineRoute({
      method: 'delete',
      path: '/api/servers/{name}',
      group,
      summary: 'Remove a server',
      description: 'Its processes end and its tools go.',
      answer: {
        status: 200,
        description: 'It is gone.',
        schema: z.object({ success: z.literal(true), name: z.string() }),
      },
      errors: [403, 404],
      deniedCode: 'read_only',
      handle: async ({ context, param }) => {
        await (await fresh(hub)).remove(param('name'));
        return context.json({ success: true, name: param('name') });
      },
    }),
  ];
}

function connectionRoutes(hub: Hub): Route[] {
  const actions = [
    { action: 'connect', summary: 'Connect a server now', errors: [404, 408, 409, 503] },
    { action: 'disconnect', summary: 'End the connection of a server', errors: [404] },
    { action: 'reconnect', summary: 'Connect a server anew', errors: [404, 408, 409, 503] },
  ] as const;
  return [
    ...actions.map(({ action, summary, errors }) =>
      defineRoute({
        method: 'post',
        path: `/api/servers/{name}/${action}`,
        group,
        summary,
        answer: one,
        errors,
        handle: async ({ context, param }) => context.json(await (await fresh(hub))[action](param('name'))),
      }),
    ),
    defineRoute({
      method: 'get',
      path: '/api/servers/{name}/log',
      group,
      summary: 'Read what a server wrote last',
      answer: { status: 200, description: 'Oldest first.', schema: ServerLogBody },
      errors: [404],
      handle: async ({ context, param }) => {
        const lines = (await fresh(hub)).log(param('name'));
        return context.json({ lines } satisfies Api.ServerLogBody);
      },
    }),
  ];
}

function toolRoutes(hub: Hub): Route[] {
  return [
    defineRoute({
      method: 'post',
      path: '/api/servers/{name}/accept',
      group,
      summary: 'Accept new and changed tools',
      description:
        'Without "tools" all that wait. A hash guards what was seen: 409 when the server proposes something else by now.',
      body: { schema: AcceptInput, isOptional: true, example: { tools: [{ tool: 'read_file' }] } },
      answer: one,
      errors: [400, 404, 409],
      handle: async ({ context, param, body }) => {
        const { tools } = parseWith(AcceptInput, body ?? {});
        return context.json(await (await fresh(hub)).accept(param('name'), tools));
      },
    }),
    defineRoute({
      method: 'patch',
      path: '/api/servers/{name}/tools/{tool}',
      group,
      summary: 'Turn a tool on or off, rename or describe it',
      body: { schema: ToolSettingChange, example: { enabled: false } },
      answer: one,
      errors: [400, 404, 409],
      handle: async ({ context, param, body }) => {
        const change = parseWith(ToolSettingChange, body);
        return context.json(await (await fresh(hub)).setTool(param('name'), param('tool'), change));
      },
    }),
  ];
}

function signInRoutes(hub: Hub, parts: AppParts): Route[] {
  return [
    defineRoute({
      method: 'post',
      path: '/api/servers/{name}/sign-in',
      hasOwnLimits: true,
      group,
      summary: 'Begin to sign in to a server',
      description: 'OAuth with PKCE: open the address in a browser; it comes back to /oauth/callback.',
      answer: { status: 200, description: 'The address, or null when no sign-in is needed.', schema: SignInBody },
      errors: [400, 404, 503],
      handle: async ({ context, param }) => {
        const url = await (await fresh(hub)).beginSignIn(param('name'), `${parts.url()}/oauth/callback`);
        return context.json({ url } satisfies Api.SignInBody);
      },
    }),
    defineRoute({
      method: 'post',
      path: '/api/servers/{name}/sign-out',
      group,
      summary: 'Forget the tokens of a server',
      answer: one,
      errors: [404],
      handle: async ({ context, param }) => context.json(await (await fresh(hub)).signOut(param('name'))),
    }),
    defineRoute({
      method: 'get',
      path: '/oauth/callback',
      hasOwnLimits: true,
      group,
      summary: 'Where a browser comes back to after signing in',
      query: z.looseObject({
        state: z.string().max(1_000).optional(),
        code: z.string().max(10_000).optional(),
        iss: z.string().max(2_000).optional(),
        error: z.string().max(200).optional(),
        error_description: z.string().max(2_000).optional(),
      }),
      answer: { status: 200, description: 'A page that says how it went.', contentType: 'text/html' },
      errors: [400],
      handle: async ({ context, query }) => {
        const { signInPage } = await import('../sign-in-page.ts');
        const page = await signInPage(await fresh(hub), query);
        return context.html(page.html, page.status);
      },
    }),
  ];
}

/** Without what makes a list long: thousands of tools have megabytes of schemas. */
function summarize({ instructions: _, tools, ...server }: Api.ServerBody): Api.ServerSummary {
  return {
    ...server,
    tools: tools.map(({ remoteName, localName, status }) => ({ remoteName, localName, status })),
  };
}

/** With what other processes and the config file changed. */
async function fresh(hub: Hub): Promise<ExternalServers> {
  const servers = await hub.servers.open();
  await servers.refresh();
  return servers;
}
