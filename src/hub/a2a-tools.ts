import type { AgentRegistry } from '../agents/agent-registry.ts';
import type { Clock } from '../base/clock.ts';
import { once } from '../base/lazy.ts';
import type { Logger } from '../base/logger.ts';
import type { SourceSnapshot } from '../base/source.ts';
import type { Chats } from '../chats/chats.ts';
import type { ConfigDocument } from '../config/config-document.ts';
import { secretsIn } from '../config/secret-values.ts';
import type { Tool } from '../tools/tool.ts';
import type { ToolSource } from '../tools/tool-source.ts';

interface A2aToolParts {
  document: ConfigDocument;
  agents: AgentRegistry;
  chats: Chats;
  clock: Clock;
  logger: Logger;
  /** Takes secrets that are to be written nowhere. */
  learn(secrets: readonly string[]): void;
}

const none: SourceSnapshot<Tool> = { entries: [], problems: [] };

/** The tools by which agents speak A2A, while there is somebody to speak to: a peer, or an autonomous agent. */
export function a2aTools({ agents, chats, clock, document, learn, logger }: A2aToolParts): ToolSource {
  const rpcServer = once(async () => (await import('../a2a/rpc-server.ts')).createRpcServer({ chats, clock, logger }));
  let loaded: SourceSnapshot<Tool> | undefined;
  /** Undefined until the config, as it is now, was asked. */
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
    const isWanted = hasPeers || agents.list().some(({ mode }) => mode === 'autonomous');
    return isWanted ? (loaded ?? load()) : none;
  }

  return {
    /** At once, when agents change and all is loaded: nobody sees the new agents without the tools. */
    snapshot() {
      if (hasPeers !== undefined) return toolsWith(hasPeers);
      return peers().then((known) => {
        hasPeers = Object.keys(known).length > 0;
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
