import { setTimeout as sleep } from 'node:timers/promises';
import { findOffer, offerText } from '../agents/agent-zoo-offer.ts';
import type { Logger } from '../base/logger.ts';
import { signInLink } from '../callers/callers.cli.ts';
import { type Bind, formatBind } from '../config/bind.ts';
import { drainSeconds } from '../config/drain-seconds.ts';
import { showPath } from '../config/load-config.ts';
import { readBind } from '../http/hub-address.cli.ts';
import type { HttpServer } from '../http/server/serve.ts';
import type { Hub } from '../hub.ts';
import { followSources } from '../knowledge/sync/watch-sources.ts';
import { createLogger } from './logger.ts';
import { type ConfigOption, openHub, printProblems, watchProblems } from './open-hub.ts';
import { releaseMemoryWhenIdle } from './release-memory.ts';
import { stdioCommand } from './stdio-command.ts';
import { type CliContext, colorsFor, printLine } from './terminal/context.ts';
import { onStop } from './terminal/on-stop.ts';
import { openBrowser } from './terminal/open-browser.ts';
import { printableLine } from './terminal/text-width.ts';

export interface ServeOptions extends ConfigOption {
  bind?: string | undefined;
  open?: boolean | undefined;
  logJson?: boolean | undefined;
  watch?: boolean | undefined;
}

/** `zoo serve`: serves web app, HTTP API and MCP until a signal stops it. */
export async function serve(context: CliContext, options: ServeOptions): Promise<void> {
  const requested = options.bind === undefined ? undefined : readBind(options.bind);
  const logger = createLogger(context, { level: 'info', json: options.logJson });
  const hub = await openHub(context, { config: options.config, watch: true, logger });
  const drain = new AbortController();
  let isDraining = false;
  const stopped = new Promise<void>((resolve) =>
    onStop(context, resolve, () => {
      drain.abort();
      return isDraining;
    }),
  );
  try {
    const bind = requested ?? readBind(hub.config.config.server.bind);
    const { serveHttp } = await import('../http/server/serve.ts');
    const server = await serveHttp(hub, { ...bind, stdioCommand: stdioCommand(hub.config) });
    const stopWatching = watchProblems(hub, logger);
    const stopReleasing = releaseMemoryWhenIdle(() => server.running > 0);
    hub.startTeam();
    // Checks the database, so that its problems are printed below.
    await hub.ready();
    const isNew = await server.canClaim();
    const link = isNew ? server.url : signInLink(server.url, await hub.callers.createCode());
    printAddresses(context, hub, { server, link, bind: { ...bind, port: server.port } });
    logger.debug({ url: server.url, version: hub.version, database: hub.store.kind }, 'serving');
    printProblems(context, hub);
    const offer = await findOffer(hub);
    if (offer) printLine(context, `\n${printableLine(offerText(offer))}`);
    if (options.open) openBrowser(link);
    const answering = hub.knowledge.answerRequests();
    const following = options.watch ? followSources(hub.knowledge, logger) : undefined;
    await stopped;
    isDraining = true;
    await leaveRotation(server, {
      seconds: drainSeconds(hub.config.config.server, bind.host),
      skip: drain.signal,
      logger,
    });
    isDraining = false;
    logger.debug({}, 'stopping');
    stopWatching();
    stopReleasing();
    await Promise.all([answering.close(), following?.close()]);
    await server.close();
  } finally {
    await hub.close();
  }
}

/** Lets proxies notice that this hub is about to stop, while it still serves. A second signal skips the wait. */
async function leaveRotation(
  server: HttpServer,
  { seconds, skip, logger }: { seconds: number; skip: AbortSignal; logger: Logger },
): Promise<void> {
  server.retire();
  if (seconds === 0) return;
  logger.info(
    { seconds },
    'stopping: /ready is 503 now, and requests are still served; a second signal skips the wait',
  );
  await sleep(seconds * 1000, undefined, { signal: skip }).catch(() => {});
}

interface Addresses {
  server: HttpServer;
  link: string;
  bind: Bind;
}

function printAddresses(context: CliContext, hub: Hub, { server, link, bind }: Addresses): void {
  const colors = colorsFor(context);
  const { file } = hub.config;
  const rows = [
    ['Web app', colors.cyan(server.url)],
    ...(link === server.url ? [] : [['Sign in', `${colors.cyan(link)} ${colors.dim('(once, within 10 minutes)')}`]]),
    ...(server.url === `http://${formatBind(bind)}` ? [] : [['Address', formatBind(bind)]]),
    ['MCP', `${server.url}/mcp`],
    ['API', `${server.url}/docs`],
    ['Data', hub.store.kind === 'sqlite' ? showPath(hub.store.location, context.cwd) : hub.store.location],
    ['Config', file === null ? 'none, using defaults ("zoo init" creates one)' : showPath(file, context.cwd)],
    ['Agents', String(hub.agents.size)],
  ];
  printLine(context, `${colors.bold(`Agent Zoo ${hub.version}`)} is running.\n`);
  for (const [label = '', value = ''] of rows) printLine(context, `  ${colors.dim(label.padEnd(8))} ${value}`);
  printLine(context, '\nPress Ctrl-C to stop.');
}
