import { EventChannel } from '../base/events.ts';
import { once } from '../base/lazy.ts';
import type { ExternalServers } from '../servers/external-servers.ts';
import type { ServersChange } from '../servers/servers.ts';
import type { OpenServersOptions } from './open-servers.ts';

export type LazyServers = ReturnType<typeof lazyServers>;

/** External servers cost nothing until config or store name one, or somebody asks. */
export function lazyServers(options: OpenServersOptions) {
  const { document, fileServers, store, logger } = options;
  const changes = new EventChannel<ServersChange>((error) =>
    logger.error({ err: error }, 'a listener of servers failed'),
  );
  let opened: ExternalServers | undefined;
  let stops: (() => void)[] = [];
  let isClosed = false;

  const open = once(async () => {
    opened = await (await import('./open-servers.ts')).openServers(options);
    stopLooking();
    opened.changes.on((change) => changes.emit(change));
    return opened;
  });

  function stopLooking(): void {
    for (const stop of stops.splice(0)) stop();
  }

  async function openWhenNamed(): Promise<void> {
    if (open.begun || isClosed) return;
    const { config } = await document.current();
    const isNamed = [config.mcp_servers, config.mcpServers].some((table) => Object.keys(table ?? {}).length > 0);
    const isInFile = async () => (await fileServers.current()).servers.length > 0;
    if (isNamed || (await isInFile()) || (await store.servers.hasServers())) await open();
  }

  return {
    open,
    /** News of them, also of those that are opened later. */
    changes,
    get opened() {
      return opened;
    },
    /** Waits until the tools of every server are known; one that cannot be reached is logged. */
    discover: async (signal?: AbortSignal) => opened?.discover(signal),
    /** Opens them when config or store name one, now or later. */
    async start() {
      await openWhenNamed();
      if (opened || !document.isWatched) return;
      const look = () => {
        openWhenNamed().catch((error: unknown) => logger.warn({ err: error }, 'servers could not be opened'));
      };
      stops = [document.watch(look), fileServers.watch(look), store.servers.watch(look)];
    },
    async close() {
      isClosed = true;
      stopLooking();
      await (await open.begun?.catch(() => undefined))?.close();
    },
  };
}
