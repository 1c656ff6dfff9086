import { z } from 'zod';
import { isStorageError } from '../../base/hub-error.ts';
import type { Hub } from '../../hub.ts';
import { ConnectBody, HealthBody, ReadyBody, StatusBody } from '../api-schemas.ts';
import type * as Api from '../api-types.ts';
import type { AppParts } from '../app.ts';
import { connectClients } from '../connect-clients.ts';
import { defineRoute, type Route } from '../route.ts';

const group = 'Hub';

export function hubRoutes(hub: Hub, parts: AppParts): Route[] {
  return [
    defineRoute({
      method: 'get',
      path: '/health',
      group,
      summary: 'Ask whether the process is alive',
      description: 'Asks nothing of the database: restart the process when this fails.',
      answer: { status: 200, description: 'It is.', schema: HealthBody },
      handle: ({ context }) => context.json({ status: 'ok', version: hub.version }),
    }),
    defineRoute({
      method: 'get',
      path: '/ready',
      group,
      summary: 'Ask whether the hub can work',
      description:
        'Checks the database (reachable and writable), its migrations and the disk. Answers within about two seconds. ' +
        'With 503 the body has the same checks beside the error: send no work here until it is 200 again.',
      answer: { status: 200, description: 'It can.', schema: ReadyBody },
      errors: [503],
      handle: async ({ context }) => {
        const checks = await hub.ready();
        const failed = checks.filter(({ ok }) => !ok);
        const body: Api.ReadyBody = { ready: failed.length === 0, checks };
        if (body.ready) return context.json(body);
        const message = [...new Set(failed.map((check) => check.message))].join(' ');
        return context.json({ ...body, error: { code: 'unavailable', message } }, 503);
      },
    }),
    defineRoute({
      method: 'get',
      path: '/metrics',
      group,
      summary: 'Read counters for Prometheus',
      answer: { status: 200, description: 'Calls, servers, models, agents.', contentType: 'text/plain' },
      handle: ({ context }) =>
        context.body(hub.metrics.text(), 200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }),
    }),
    defineRoute({
      method: 'get',
      path: '/api/status',
      group,
      summary: 'Read the state of the hub',
      answer: { status: 200, description: 'Version, files, counts and problems.', schema: StatusBody },
      handle: async ({ context }) => {
        await hub.ready();
        // When the storage fails, the problems below say so.
        await hub.agents.refresh().catch((error: unknown) => {
          if (!isStorageError(error)) throw error;
        });
        const body: Api.StatusBody = {
          version: hub.version,
          configFile: hub.config.file,
          database: { kind: hub.store.kind, place: hub.store.place },
          agents: hub.agents.size,
          tools: hub.tools.size,
          problems: hub.problems(),
        };
        return context.json(body);
      },
    }),
    defineRoute({
      method: 'get',
      path: '/api/connect',
      group,
      summary: 'Get links and snippets for MCP clients',
      query: z.strictObject({
        agent: z.string().min(1).max(200).optional().describe('For one agent instead of the whole hub.'),
      }),
      answer: { status: 200, description: 'One entry for each client.', schema: ConnectBody },
      errors: [404],
      handle: async ({ context, query }) => {
        const agent = query.agent === undefined ? undefined : (await hub.agents.get(query.agent)).agent;
        const body: Api.ConnectBody = connectClients({
          url: parts.url(),
          stdioCommand: parts.stdioCommand,
          configFile: hub.config.file,
          agent,
        });
        return context.json(body);
      },
    }),
    defineRoute({
      method: 'get',
      path: '/api/events',
      group,
      summary: 'Listen for changes',
      description:
        'Server-sent events: `agents` {changed, removed}, `brain` {agentIds}, `tools`, `knowledge` {event}. After a reconnect, load what you show afresh.',
      answer: { status: 200, description: 'A stream that stays open.', contentType: 'text/event-stream' },
      errors: [503],
      handle: ({ context }) => {
        const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-store' };
        if (context.req.method === 'HEAD') return new Response(null, { headers });
        return new Response(parts.events.connect(), { headers });
      },
    }),
  ];
}
