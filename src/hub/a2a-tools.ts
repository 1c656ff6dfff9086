import type { RpcServer } from '../a2a/rpc-server.ts';
import type { Chats } from '../chats/chats.ts';
import type { ConfigDocument } from '../config/config-document.ts';
import { secretsIn } from '../config/secret-values.ts';
import type { Hub } from '../hub.ts';
import type { Tool } from '../tools/tool.ts';

interface A2aToolParts extends Pick<Hub, 'agents' | 'tools' | 'clock' | 'logger'> {
  document: ConfigDocument;
  chats: Chats;
  /** Takes secrets that are to be written nowhere. */
  learn(secrets: readonly string[]): void;
}

/** The tools by which agents speak A2A, in the registry while there is somebody to speak to: a peer, or an autonomous agent. */
export interface A2aTools {
  start(): Promise<void>;
  close(): void;
}

export function a2aTools(parts: A2aToolParts): A2aTools {
  const { agents, tools, document, clock, logger } = parts;
  let loading: Promise<Tool[]> | undefined;
  let loaded: Tool[] | undefined;
  let hasPeers = false;
  let rpcServer: Promise<RpcServer> | undefined;
  let stops: (() => void)[] = [];

  async function peers() {
    const { config } = await document.current();
    parts.learn(secretsIn(config.a2a));
    return config.a2a.peers;
  }

  function load(): Promise<Tool[]> {
    loading ??= import('../a2a/peer-tools.ts').then(({ peerTools }) =>
      peerTools({
        agents,
        peers,
        clock,
        rpcServer() {
          rpcServer ??= import('../a2a/rpc-server.ts').then(({ createRpcServer }) =>
            createRpcServer({ chats: parts.chats, clock, logger }),
          );
          return rpcServer;
        },
      }),
    );
    return loading;
  }

  function isWanted(): boolean {
    return hasPeers || agents.list().some(({ mode }) => mode === 'autonomous');
  }

  async function refresh(): Promise<void> {
    hasPeers = Object.keys(await peers()).length > 0;
    if (isWanted()) loaded ??= await load();
    exchange();
  }

  function exchange(): void {
    if (!loaded) return;
    const missing = loaded.filter((tool) => tools.find(tool.name) !== tool);
    const refused = isWanted() ? tools.exchange([], missing) : tools.exchange(loaded, []);
    for (const { name } of refused) logger.warn({ tool: name }, 'a tool of A2A is not there: its name is taken');
  }

  function refreshLater(): void {
    refresh().catch((error: unknown) => logger.warn({ err: error }, 'the tools of A2A could not be loaded'));
  }

  return {
    async start() {
      await refresh();
      // With the change itself, so that nobody sees a list in between; only the first time something must be loaded.
      stops = [agents.changes.on(() => (loaded ? exchange() : refreshLater())), document.watch(refreshLater)];
    },
    close() {
      for (const stop of stops.splice(0)) stop();
    },
  };
}
