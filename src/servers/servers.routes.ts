import { lazy } from '../base/lazy.ts';
import { implement, type Route } from '../http/route.ts';
import type { LazyServers } from '../hub/lazy-servers.ts';
import type { ExternalServers } from './external-servers.ts';
import { briefDefinition, maskDefinition } from './mask-secrets.ts';
import { type ServerSummary, serversContract } from './servers.contract.ts';
import type { ServerInfo, ServerTool } from './servers.ts';

interface ServerParts {
  servers: Pick<LazyServers, 'open'>;
  /** Returns the hub's own URL. */
  url(): string;
}

export function serverRoutes(parts: ServerParts): Route[] {
  /** Opens the servers and applies changes of other processes and the config file. */
  async function openFresh(): Promise<ExternalServers> {
    const opened = await parts.servers.open();
    await opened.refresh();
    return opened;
  }
  const servers = lazy(openFresh);

  return implement(serversContract)({
    'GET /api/servers': async () => ({ servers: (await servers.list()).map(summarize) }),
    'POST /api/servers': async ({ body, act }) => {
      const server = await servers.add(body.name, body.definition);
      Object.assign(act, { target: body.name, after: briefDefinition(server.definition) });
      return server;
    },
    'POST /api/servers/test': ({ body, signal, act }) => {
      Object.assign(act, { target: body.name, after: briefDefinition(maskDefinition(body.definition)) });
      return servers.test(body.name, body.definition, { signal });
    },
    'POST /api/servers/import': async ({ body: { text, dryRun }, act }) => {
      const { importServers } = await import('./import/import-servers.ts');
      const report = await importServers(await openFresh(), text, { dryRun });
      act.after = { added: report.added, dryRun };
      return report;
    },
    'GET /api/servers/{name}': ({ params }) => servers.get(params.name),
    'PUT /api/servers/{name}': async ({ params: { name }, body, act }) => {
      act.before = briefDefinition((await servers.get(name)).definition);
      const server = await servers.update(name, body.definition, body.revision);
      act.after = briefDefinition(server.definition);
      return server;
    },
    'DELETE /api/servers/{name}': async ({ params: { name }, act }) => {
      act.before = briefDefinition((await servers.get(name)).definition);
      await servers.remove(name);
      return { success: true, name };
    },
    'POST /api/servers/{name}/connect': ({ params }) => servers.connect(params.name),
    'POST /api/servers/{name}/disconnect': ({ params }) => servers.disconnect(params.name),
    'POST /api/servers/{name}/reconnect': ({ params }) => servers.reconnect(params.name),
    'GET /api/servers/{name}/log': ({ params }) => servers.log(params.name),
    'POST /api/servers/{name}/accept': ({ params, body }) => servers.accept(params.name, body.tools, body.version),
    'PATCH /api/servers/{name}/tools/{tool}': ({ params, body }) => servers.setTool(params.name, params.tool, body),
    'POST /api/servers/{name}/sign-in': async ({ params }) => ({
      url: await servers.beginSignIn(params.name, `${parts.url()}/oauth/callback`),
    }),
    'POST /api/servers/{name}/sign-out': ({ params }) => servers.signOut(params.name),
    'GET /oauth/callback': async ({ context, query }) => {
      const { signInPage } = await import('./sign-in-page.ts');
      const page = await signInPage(await openFresh(), query);
      return context.html(page.html, page.status);
    },
  });
}

function summarize({ instructions: _, tools, elsewhere, ...server }: ServerInfo): ServerSummary {
  const summarizeTool = ({ remoteName, localName, status }: ServerTool) => ({ remoteName, localName, status });
  return { ...server, tools: tools.map(summarizeTool), elsewhere: elsewhere.map(summarizeTool) };
}
