import { once } from '../base/lazy.ts';
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

/** Keeps the tools by which agents speak A2A in the registry while there is somebody to speak to: a peer, or an autonomous agent. */
export function a2aTools(parts: A2aToolParts) {
  const { agents, tools, document, clock, logger, chats } = parts;
  const rpcServer = once(async () => (await import('../a2a/rpc-server.ts')).createRpcServer({ chats, clock, logger }));
  const load = once(async () => (await import('../a2a/peer-tools.ts')).peerTools({ agents, peers, clock, rpcServer }));
  let loaded: Tool[] | undefined;
  let hasPeers = false;
  let stops: (() => void)[] = [];

  async function peers() {
    const { config } = await document.current();
    parts.learn(secretsIn(config.a2a));
    return config.a2a.peers;
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
