import type { AgentRegistry } from '../agents/agent-registry.ts';
import { implement, type Route } from '../http/route.ts';
import { callersContract } from './callers.contract.ts';
import { browserName, nameOf } from './callers.ts';
import type { Callers } from './create-callers.ts';

interface CallerRouteParts {
  callers: Callers;
  agents: AgentRegistry;
  /** Returns the hub's address, without a trailing slash. */
  url: () => string;
}

export function callerRoutes({ callers, agents, url }: CallerRouteParts): Route[] {
  return implement(callersContract)({
    'GET /api/session': async ({ caller }) => ({
      caller: { kind: caller.kind, name: nameOf(caller), right: caller.right },
      firstBrowser: (await callers.firstBrowser()) ?? null,
      url: url(),
    }),
    'POST /api/session': async ({ context, act, body: { code } }) => {
      act.target = browserName(context.req.header('user-agent'));
      act.after = {};
      const cookie = await callers.signIn(code, context.env.incoming);
      return context.body(null, 204, { 'set-cookie': cookie });
    },
    'DELETE /api/session': async ({ context, caller }) => {
      if (caller.kind !== 'owner' || caller.sessionId === undefined) return context.body(null, 204);
      return context.body(null, 204, { 'set-cookie': await callers.signOut({ sessionId: caller.sessionId }) });
    },
    'GET /api/sessions': async ({ caller }) => ({
      sessions: await callers.sessions(caller.kind === 'owner' ? caller.sessionId : undefined),
    }),
    'DELETE /api/sessions': async ({ context }) =>
      context.body(null, 204, { 'set-cookie': await callers.signOut('everywhere') }),
    'DELETE /api/sessions/{id}': async ({ act, params }) => {
      act.target = await callers.endSession(params.id);
    },
    'GET /api/keys': async () => ({ keys: await callers.keys() }),
    'POST /api/keys': async ({ act, body: { name, agent } }) => {
      act.target = name;
      const agentId = agent === null ? null : (await agents.get(agent)).agent.id;
      return callers.createKey({ name, agent: agentId });
    },
    'DELETE /api/keys/{id}': async ({ act, params }) => {
      act.target = (await callers.removeKey(params.id)).name;
    },
  });
}
