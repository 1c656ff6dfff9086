import { speaksA2a } from '../agents/agent.ts';
import type { AgentRegistry } from '../agents/agent-registry.ts';
import type { Clock } from '../base/clock.ts';
import { once } from '../base/lazy.ts';
import type { Logger } from '../base/logger.ts';
import type { SourceSnapshot } from '../base/source.ts';
import type { Chats } from '../chats/chats.ts';
import type { ConfigDocument } from '../config/config-document.ts';
import { secretsIn } from '../config/secret-values.ts';
import type { Tool } from '../tools/tool.ts';
import type { ToolSource } from '../tools/tool-registry.ts';

interface A2aToolParts {
  document: ConfigDocument;
  agents: AgentRegistry;
  chats: Chats;
  clock: Clock;
  logger: Logger;
  /** Registers secrets that must never be written. */
  learn(secrets: readonly string[]): void;
}

const none: SourceSnapshot<Tool> = { entries: [], problems: [] };

/** The A2A tools. They exist while there is a peer or an autonomous agent to talk to. */
export function a2aTools({ agents, chats, clock, document, learn, logger }: A2aToolParts): ToolSource {
  const rpcServer = once(async () => (await import('../a2a/rpc-server.ts')).createRpcServer({ chats, clock, logger }));
  let loaded: SourceSnapshot<Tool> | undefined;
  /** Undefined until the current config has been read. */
  let hasPeers: boolean | undefined;

  async function peers() {
    const { config } = await document.current();
    learn(secretsIn(config.a2a));
    return config.a2a.peers;
  }

  const load = once(async () => {
    const { peerTools } = await import('../a2a/a2a.tools.ts');
    loaded = { entries: peerTools({ agents, peers, clock, rpcServer }), problems: [] };
    return loaded;
  });

  function toolsWith(hasPeers: boolean) {
    const isNeeded = hasPeers || agents.list().some(speaksA2a);
    return isNeeded ? (loaded ?? load()) : none;
  }

  return {
    /** Returns at once if everything is loaded, so that no caller sees new agents without these tools. */
    snapshot() {
      if (hasPeers !== undefined) return toolsWith(hasPeers);
      return peers().then((current) => {
        hasPeers = Object.keys(current).length > 0;
        return toolsWith(hasPeers);
      });
    },
    watch(onChange) {
      const stops = [
        agents.changes.on(onChange),
        document.watch(() => {
          hasPeers = undefined;
          onChange();
        }),
      ];
      return () => {
        for (const stop of stops) stop();
      };
    },
  };
}
