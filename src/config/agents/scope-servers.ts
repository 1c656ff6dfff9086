import type { Agent } from '../../agents/agent.ts';
import { shortName } from '../../base/short-name.ts';
import { ServerName } from '../../servers/server-definition.ts';
import type { ConfiguredServers } from '../../servers/server-specs.ts';
import type { FileAgent } from './agent-files.ts';

/**
 * Gives every agent the servers of its own file. A name that another file or the config has too becomes `{agent}-{server}`
 * in each file that uses it, so that no agent ever calls another's server. The same objects where no name is shared.
 */
export function scopeServers(agents: readonly FileAgent[], configured: ConfiguredServers): readonly FileAgent[] {
  const counts = new Map<string, number>();
  for (const { name } of [...configured.servers, ...agents.flatMap(({ servers }) => servers)])
    counts.set(name, (counts.get(name) ?? 0) + 1);
  return agents.map((entry) => {
    const shared = entry.servers.filter(({ name }) => (counts.get(name) ?? 0) > 1);
    if (shared.length === 0) return entry;
    const names = new Map(shared.map(({ name }) => [name, scopedName(entry.agent.id, name, counts)]));
    return renamed(entry, names);
  });
}

function renamed(entry: FileAgent, names: ReadonlyMap<string, string>): FileAgent {
  const globs = new Map([...names].map(([from, to]) => [`mcp__${from}__*`, `mcp__${to}__*`]));
  const agent: Agent = Object.freeze({
    ...entry.agent,
    tools: entry.agent.tools.map((glob) => globs.get(glob) ?? glob),
  });
  const servers = entry.servers.map((server) => ({ ...server, name: names.get(server.name) ?? server.name }));
  return { ...entry, agent, servers };
}

/** The longest name of a server is 40 characters; a digest of nine ends one that is too long or taken. */
function scopedName(agentId: string, name: string, taken: ReadonlyMap<string, unknown>): string {
  const whole = `${agentId}-${name}`;
  if (ServerName.safeParse(whole).success && !taken.has(whole)) return whole;
  const readable = whole.replace(/[^A-Za-z0-9-]+/g, '-').slice(0, 31);
  return shortName(readable.replace(/^-+/, ''), `${agentId}\0${name}`);
}
