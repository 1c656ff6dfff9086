import { isLoopbackHost } from '../base/address-ranges.ts';
import { createLogger } from '../cli/logger.ts';
import { type ConfigOption, openHub, watchProblems } from '../cli/open-hub.ts';
import { type CliContext, colorsFor } from '../cli/terminal/context.ts';
import { onStop } from '../cli/terminal/on-stop.ts';
import { UsageError } from '../cli/terminal/report-error.ts';
import { parseBind } from '../config/bind.ts';
import type { Hub } from '../hub.ts';
import { servesTools, speaksA2a } from './agent.ts';
import { checkNamed, namedAgent } from './named-agent.cli.ts';

export interface AgentServeOptions extends ConfigOption {
  http?: boolean | undefined;
  bind?: string | undefined;
  logJson?: boolean | undefined;
}

/** `zoo agent serve`: serves one agent: its tools as an MCP server on stdio or HTTP, and A2A over HTTP. Everything else goes to stderr. */
export async function serveAgent(context: CliContext, agent: string, options: AgentServeOptions): Promise<void> {
  const bind = readBind(options);
  const logger = createLogger(context, { level: 'warn', json: options.logJson });
  const named = await namedAgent(context, agent);
  const { id: agentId, file } = named;
  const agentFiles = file ? [file] : [];
  // On stdio, the client uses the input, so the user cannot be asked.
  const canAsk = bind !== undefined;
  const hub = await openHub(context, { config: options.config, watch: true, logger, agentFiles, canAsk });
  const stopping = new AbortController();
  try {
    for (const { place: at, message } of hub.problems()) logger.warn({ place: at }, message);
    await checkNamed(hub, named);
    // Over HTTP, an autonomous agent needs no tools: it answers over A2A.
    if (!bind || !isPeer(hub, agentId)) await hub.serveAgent(agentId);
    const stopWatching = watchProblems(hub, logger);
    const forget = onStop(context, () => stopping.abort());
    if (bind) await serveOverHttp(context, hub, { ...bind, agentId, signal: stopping.signal });
    else await serveOverStdio(context, hub, { agentId, signal: stopping.signal });
    forget();
    stopWatching();
  } finally {
    await hub.close();
  }
  // Unread output would keep the process alive if the client does not read it.
  if (stopping.signal.aborted) process.exit(0);
}

function isPeer(hub: Hub, agentId: string): boolean {
  const agent = hub.agents.find(agentId);
  return agent !== undefined && speaksA2a(agent);
}

interface Serving {
  agentId: string;
  signal: AbortSignal;
}

async function serveOverStdio(context: CliContext, hub: Hub, { agentId, signal }: Serving): Promise<void> {
  const { serveMcpStdio } = await import('../mcp-server/stdio/stdio.ts');
  const { stdin: input, stdout: output } = context;
  await serveMcpStdio(hub, { served: agentId, input, output, signal });
  input.destroy();
}

async function serveOverHttp(
  context: CliContext,
  hub: Hub,
  { agentId, signal, host, port }: Serving & { host: string; port: number },
): Promise<void> {
  const { serveHttp } = await import('../http/server/serve.ts');
  // The public address of the config belongs to the hub, not to this port.
  const door = isLoopbackHost(host) ? { ...hub.door, publicUrl: undefined, trustedProxies: [] } : hub.door;
  const server = await serveHttp(hub, { host, port, door, onlyAgent: agentId });
  const { cyan } = colorsFor(context, context.stderr);
  const agent = hub.agents.find(agentId);
  const address = `${server.url}/agents/${agentId}`;
  if (agent && servesTools(agent)) context.stderr.write(`${agentId} is an MCP server at ${cyan(`${address}/mcp`)}.\n`);
  if (agent && speaksA2a(agent))
    context.stderr.write(`${agentId} is an A2A peer at ${cyan(`${address}/.well-known/agent-card.json`)}.\n`);
  context.stderr.write(`Clients need a key: zoo key create NAME --agent ${agentId}\nPress Ctrl-C to stop.\n`);
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await server.close();
}

function readBind({ http, bind }: AgentServeOptions): { host: string; port: number } | undefined {
  if (bind === undefined) return http ? { host: '127.0.0.1', port: 7332 } : undefined;
  if (!http) throw new UsageError('--bind works only with --http.');
  const parsed = parseBind(bind);
  if (!parsed) throw new UsageError(`Invalid --bind "${bind}". Use HOST:PORT, such as 127.0.0.1:7332.`);
  return parsed;
}
