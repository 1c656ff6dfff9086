import { existsSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { join } from 'node:path';
import type { OfferParts } from '../agents/agent-zoo-offer.ts';
import type { Logger } from '../base/logger.ts';
import { searchFrom } from '../config/find-config.ts';
import type { Greeting } from '../mcp-server/protocol/greeting.ts';
import type { Greeted } from '../mcp-server/stdio/stdio.ts';
import { type GreetingRequest, greetingWriter } from './greeting-cache.ts';
import { createLogger } from './logger.ts';
import { type ConfigOption, openHub, watchProblems } from './open-hub.ts';
import type { CliContext } from './terminal/context.ts';
import { onStop } from './terminal/on-stop.ts';
import { UsageError } from './terminal/report-error.ts';

export interface McpOptions extends ConfigOption {
  agent?: string | undefined;
  /** Serves this member of the team. */
  member?: string | undefined;
  /** Replaces $AGENT_ZOO_HOME, which MCP clients do not pass on. */
  home?: string | undefined;
  /** The folder to find the config in, instead of the working folder. */
  folder?: string | undefined;
  logJson?: boolean | undefined;
}

/** The view to cache replies for, and the messages that were already handled. */
interface Front {
  request: GreetingRequest;
  greeted: Greeted | undefined;
}

/** `zoo mcp`: serves one MCP client on stdin and stdout. All other output goes to stderr. */
export async function serveMcp(context: CliContext, options: McpOptions, front?: Front): Promise<void> {
  if (options.agent !== undefined && options.member !== undefined) {
    throw new UsageError('Use --agent or --member, not both. A member already uses the scope of its agent.');
  }
  const logger = createLogger(context, { level: 'warn', json: options.logJson });
  const serving = import('../mcp-server/stdio/stdio.ts');
  const ending = new AbortController();
  const writer = front && greetingWriter(front.request);
  const hub = await openHub(
    { ...context, ...searchFrom(context, options) },
    {
      config: options.config,
      watch: true,
      logger,
      canAsk: false,
    },
  );
  try {
    for (const { place, message } of hub.problems()) logger.warn({ place }, message);
    if (options.agent !== undefined) {
      const { findAgent } = await import('../agents/find-agent.cli.ts');
      await findAgent(hub, options.agent);
    }
    const stopWatching = watchProblems(hub, logger);
    void logOffer(hub, logger);
    const { serveMcpStdio } = await serving;
    const stopListening = onStop(context, () => ending.abort());
    const { stdin: input, stdout: output } = context;
    const { agent, member } = options;
    const { path } = hub.config.config.db;
    const beforeGreeting = () => {
      const write = path === undefined ? undefined : writer?.before(path);
      return (greeting: Greeting) => {
        write?.(greeting);
        // Clients kill the server, and Node would write its compile cache only on a clean exit.
        flushCompileCache();
      };
    };
    const { signal } = ending;
    await serveMcpStdio(hub, { agent, member, input, output, signal, greeted: front?.greeted, beforeGreeting });
    stopListening();
    stopWatching();
    // After a signal, an open stdin would keep the process alive.
    input.destroy();
  } finally {
    await hub.close();
  }
  // Unread output would keep the process alive.
  if (ending.signal.aborted) process.exit(0);
}

/** Mentions agents of AgentZoo that could be imported. Loads no code if there is no file to look into. */
async function logOffer(hub: OfferParts, logger: Logger): Promise<void> {
  const { dataDir, lookUp } = hub.config;
  if (!lookUp('AGENT_ZOO_STORE_PATH') && !existsSync(join(dataDir, 'agents.json'))) return;
  const { findOffer, offerText } = await import('../agents/agent-zoo-offer.ts');
  const offer = await findOffer(hub).catch(() => undefined);
  if (offer) logger.warn({ place: offer.file }, offerText(offer));
}
