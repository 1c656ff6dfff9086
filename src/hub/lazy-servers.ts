import { EventChannel } from '../base/events.ts';
import { once } from '../base/lazy.ts';
import type { ExternalServers } from '../servers/external-servers.ts';
import type { ServersChange } from '../servers/servers.ts';
import type { OpenServersOptions } from './open-servers.ts';

export type LazyServers = ReturnType<typeof lazyServers>;

/** Loads the code for external servers on first use, or as soon as the config or the store names a server. */
export function lazyServers(options: OpenServersOptions) {
  const { document, fileServers, store, logger } = options;
  const changes = new EventChannel<ServersChange>((error) =>
    logger.error({ err: error }, 'a listener for server changes failed'),
  );
  let opened: ExternalServers | undefined;
  let stops: (() => void)[] = [];
  let isClosed = false;

  const open = once(async () => {
    opened = await (await import('./open-servers.ts')).openServers(options);
    stopWatching();
    opened.changes.on((change) => changes.emit(change));
    return opened;
  });

  function stopWatching(): void {
    for (const stop of stops.splice(0)) stop();
  }

  async function openIfDefined(): Promise<void> {
    if (open.promise || isClosed) return;
    const { config } = await document.current();
    const isInConfig = [config.mcp_servers, config.mcpServers].some((table) => Object.keys(table ?? {}).length > 0);
    const isInFile = async () => (await fileServers.current()).servers.length > 0;
    if (isInConfig || (await isInFile()) || (await store.servers.hasServers())) await open();
  }

  return {
    open,
    /** Changes of all servers, including those opened later. */
    changes,
    get opened() {
      return opened;
    },
    /** Waits until the tools of all servers are known. Logs servers that cannot be reached. */
    discover: async (signal?: AbortSignal) => opened?.discover(signal),
    /** Opens the servers once the config or the store names one, now or later. */
    async start() {
      await openIfDefined();
      if (opened || !document.isWatched) return;
      const check = () => {
        openIfDefined().catch((error: unknown) => logger.warn({ err: error }, 'external servers could not be opened'));
      };
      stops = [document.watch(check), fileServers.watch(check), store.servers.watch(check)];
    },
    async close() {
      isClosed = true;
      stopWatching();
      await (await open.promise?.catch(() => undefined))?.close();
    },
  };
}
