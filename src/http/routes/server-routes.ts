import type { LazyServers } from '../../hub/lazy-servers.ts';
import type { ExternalServers, ServerInfo } from '../../servers/external-servers.ts';
import { type ServerSummary, serversContract } from '../../servers/servers.contract.ts';
import { implement, type Route } from '../route.ts';

interface ServerParts {
  servers: Pick<LazyServers, 'open'>;
  /** The hub's own address. */
  url(): string;
}

export function serverRoutes({ servers: lazyServers, url }: ServerParts): Route[] {
  /** With what other processes and the config file changed. */
  async function fresh(): Promise<ExternalServers> {
    const servers = await lazyServers.open();
    await servers.refresh();
    return servers;
  }

  return implement(serversContract)({
    'GET /api/servers': async () => ({ servers: (await fresh()).list().map(summarize) }),
    'POST /api/servers': async ({ body }) => (await fresh()).add(body.name, body.definition),
    'POST /api/servers/test': async ({ body, signal }) => (await fresh()).test(body.name, body.definition, { signal }),
    'POST /api/servers/import': async ({ body: { text, dryRun } }) => {
      const { importServers } = await import('../../servers/import-servers.ts');
      return importServers(await fresh(), text, { dryRun });
    },
    'GET /api/servers/{name}': async ({ params }) => (await fresh()).get(params.name),
    'PUT /api/servers/{name}': async ({ params, body }) =>
      (await fresh()).update(params.name, body.definition, body.revision),
    'DELETE /api/servers/{name}': async ({ params: { name } }) => {
      await (await fresh()).remove(name);
      return { success: true, name };
    },
    'POST /api/servers/{name}/connect': async ({ params }) => (await fresh()).connect(params.name),
    'POST /api/servers/{name}/disconnect': async ({ params }) => (await fresh()).disconnect(params.name),
    'POST /api/servers/{name}/reconnect': async ({ params }) => (await fresh()).reconnect(params.name),
    'GET /api/servers/{name}/log': async ({ params }) => ({ lines: (await fresh()).log(params.name) }),
    'POST /api/servers/{name}/accept': async ({ params, body }) => (await fresh()).accept(params.name, body.tools),
    'PATCH /api/servers/{name}/tools/{tool}': async ({ params, body }) =>
      (await fresh()).setTool(params.name, params.tool, body),
    'POST /api/servers/{name}/sign-in': async ({ params }) => ({
      url: await (await fresh()).beginSignIn(params.name, `${url()}/oauth/callback`),
    }),
    'POST /api/servers/{name}/sign-out': async ({ params }) => (await fresh()).signOut(params.name),
    'GET /oauth/callback': async ({ context, query }) => {
      const { signInPage } = await import('../sign-in-page.ts');
      const page = await signInPage(await fresh(), query);
      return context.html(page.html, page.status);
    },
  });
}

function summarize({ instructions: _, tools, ...server }: ServerInfo): ServerSummary {
  return {
    ...server,
    tools: tools.map(({ remoteName, localName, status }) => ({ remoteName, localName, status })),
  };
}
