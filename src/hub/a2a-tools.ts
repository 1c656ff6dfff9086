import { speaksA2a } from '../agents/agent.ts';
import type { AgentRegistry } from '../agents/agent-registry.ts';
import type { Clock } from '../base/clock.ts';
import { once } from '../base/lazy.ts';
import type { Logger } from '../base/logger.ts';
import type { SourceSnapshot } from '../base/source.ts';
import type { Chats } from '../chats/chats.ts';
import type { Tool } from '../tools/tool.ts';
import type { ToolSource } from '../tools/tool-registry.ts';
import type { LiveConfig } from './settings/live-config.ts';

interface A2aToolParts {
  live: LiveConfig;
  agents: AgentRegistry;
  chats: Chats;
  clock: Clock;
  logger: Logger;
}

const none: SourceSnapshot<Tool> = { entries: [], problems: [] };

/** The A2A tools. They exist while there is a peer or an autonomous agent to talk to. */
export function a2aTools({ agents, chats, clock, live, logger }: A2aToolParts): ToolSource {
  const rpcServer = once(async () => (await import('../a2a/rpc-server.ts')).createRpcServer({ chats, clock, logger }));
  let loaded: SourceSnapshot<Tool> | undefined;
  const peers = async () => (await live.refresh()).a2a.peers;

  const load = once(async () => {
    const { peerTools } = await import('../a2a/a2a.tools.ts');
    loaded = { entries: peerTools({ agents, peers, clock, rpcServer }), problems: [] };
    return loaded;
  });

  return {
    /** Returns at once if everything is loaded, so that no caller sees new agents without these tools. */
    snapshot() {
      const hasPeers = Object.keys(live.current.a2a.peers).length > 0;
      const isNeeded = hasPeers || agents.list().some(speaksA2a);
      return isNeeded ? (loaded ?? load()) : none;
    },
    watch(onChange) {
      const stops = [agents.changes.on(onChange), live.watch(onChange)];
      return () => {
        for (const stop of stops) stop();
      };
    },
  };
}
