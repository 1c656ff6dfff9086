import { isStorageError } from '../base/hub-error.ts';
import { hasRight } from '../base/rights.ts';
import type { Hub } from '../hub.ts';
import { connectClients, type StdioCommand } from './connect-clients.ts';
import { hubContract, type ReadyBody } from './hub.contract.ts';
import type { LiveEvents } from './live-events.ts';
import { implement, type Route } from './route.ts';

type HubParts = Pick<
  Hub,
  'version' | 'config' | 'store' | 'agents' | 'tools' | 'metrics' | 'ready' | 'problems' | 'callers'
>;

export interface HubRouteParts {
  /** Returns the hub's address, without a trailing slash. */
  url: () => string;
  stdioCommand: StdioCommand;
  events: LiveEvents;
  /** Whether the hub was told to stop. */
  isStopping: () => boolean;
}

const stopping = {
  name: 'stopping' as const,
  ok: false,
  message: 'This hub is stopping. Send requests to another one, or wait until it has restarted.',
};

type Check = ReadyBody['checks'][number];

/** What strangers are told, without the database, its host or a folder. */
const generalReasons: Record<Check['name'], string> = {
  database: 'The hub cannot use its database. The log says why.',
  migrations: 'The database tables do not match this version, or cannot be read. The log says why.',
  disk: 'The disk is almost full. The log says where.',
  stopping: stopping.message,
};

export function hubRoutes(hub: HubParts, parts: HubRouteParts): Route[] {
  return implement(hubContract)({
    'GET /health': () => ({ status: 'ok', version: hub.version }),
    'GET /ready': async ({ context, caller, query }) => {
      const known = parts.isStopping() ? [stopping] : await hub.ready();
      const checks = hasRight(caller.right, 'use')
        ? known
        : known.map((check): Check => (check.ok ? check : { ...check, message: generalReasons[check.name] }));
      const isReadable = query.reads === 'true';
      const failed = checks.filter(({ name, ok }) => !ok && !(isReadable && name === 'database'));
      if (failed.length === 0) return { ready: true, checks };
      const message = [...new Set(failed.map((check) => check.message))].join(' ');
      return context.json({ ready: false, checks, error: { code: 'unavailable', message } }, 503);
    },
    'GET /metrics': ({ context }) =>
      context.body(hub.metrics.text(), 200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }),
    'GET /api/status': async () => {
      await hub.ready();
      // When the database fails, the problems below say so.
      await hub.agents.refresh().catch((error: unknown) => {
        if (!isStorageError(error) && !hub.problems().some(({ isCritical }) => isCritical)) throw error;
      });
      return {
        version: hub.version,
        configFile: hub.config.file,
        database: { kind: hub.store.kind, place: hub.store.location },
        agents: hub.agents.size,
        tools: hub.tools.size,
        problems: hub.problems(),
      };
    },
    'GET /api/connect': async ({ query }) => {
      const agent = query.agent === undefined ? undefined : (await hub.agents.get(query.agent)).agent;
      const { stdioCommand } = parts;
      const { right: anonymous } = hub.callers.anonymous;
      return connectClients({ url: parts.url(), stdioCommand, configFile: hub.config.file, agent, anonymous });
    },
    'GET /api/events': ({ context }) => {
      const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-store' };
      if (context.req.method === 'HEAD') return new Response(null, { headers });
      return new Response(parts.events.connect(), { headers });
    },
  });
}
