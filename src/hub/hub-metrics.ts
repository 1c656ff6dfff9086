import type { Logger } from '../base/logger.ts';
import { Metrics } from '../base/metrics.ts';
import type { ChangeBus } from '../db/change-bus.ts';
import type { RunResult } from '../engine/run-events.ts';
import type { ExternalServers } from '../servers/external-servers.ts';
import type { ObservedCall } from '../tools/execute-tool.ts';

export interface CountedParts {
  version: string;
  agents: { readonly size: number };
  tools: { readonly size: number };
  /** Undefined until the servers are opened. */
  servers: { readonly opened: ExternalServers | undefined };
  store: { readonly changes: Pick<ChangeBus, 'arrival'> };
  logger: Logger;
}

export type HubMetrics = ReturnType<typeof hubMetrics>;

/** The metrics of `/metrics`. Names follow Prometheus conventions: base units, `_total` for counters. */
export function hubMetrics({ version, agents, tools, servers, store, logger }: CountedParts) {
  const metrics = new Metrics();
  const calls = metrics.counter('zoo_tool_calls_total', 'Finished tool calls, by tool, surface and outcome.');
  const seconds = metrics.histogram('zoo_tool_call_duration_seconds', 'Duration of tool calls, including logging.');
  const runs = metrics.counter('zoo_runs_total', 'Finished agent runs, by model and status.');
  const tokens = metrics.counter('zoo_model_tokens_total', 'Tokens used by runs, by model and kind.');
  metrics.gauge('zoo_info', 'The version of the hub.', () => [[{ version }, 1]]);
  metrics.gauge('zoo_agents', 'Agents in the registry.', () => [[{}, agents.size]]);
  metrics.gauge('zoo_tools', 'Tools in the registry.', () => [[{}, tools.size]]);
  metrics.gauge('zoo_servers', 'External MCP servers, by state.', () => serverStates(servers.opened));
  metrics.gauge('zoo_server_calls_running', 'Running calls, by server.', () =>
    (servers.opened?.list() ?? []).map(({ name, running }) => [{ server: name }, running]),
  );
  metrics.gauge('zoo_change_notices', 'How changes by other processes arrive: listen, nats, or poll.', () => {
    const { arrival } = store.changes;
    return arrival ? [[{ way: arrival.way }, 1]] : [];
  });
  metrics.gauge('process_resident_memory_bytes', 'Resident memory of the process.', () => [
    [{}, process.memoryUsage.rss()],
  ]);
  metrics.gauge('process_uptime_seconds', 'Uptime of the process.', () => [[{}, process.uptime()]]);
  return {
    metrics,
    call(ended: ObservedCall) {
      const { tool, surface, outcome, durationMs } = ended;
      calls.add({ tool: tool ?? 'unknown', surface, outcome });
      seconds.observe({ surface }, durationMs / 1_000);
      // Logs only names and outcomes. The decision log has inputs and outputs, without secrets.
      logger.debug(ended, 'tool call finished');
    },
    run(model: string, { status, usage }: RunResult) {
      runs.add({ model, status });
      tokens.add({ model, kind: 'input' }, usage.inputTokens);
      tokens.add({ model, kind: 'output' }, usage.outputTokens);
    },
  };
}

function serverStates(servers: ExternalServers | undefined): [Record<string, string>, number][] {
  const byState = Map.groupBy(servers?.list() ?? [], ({ state }) => state.kind);
  return [...byState].map(([state, list]) => [{ state }, list.length]);
}
