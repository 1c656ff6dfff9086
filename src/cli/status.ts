import { formatBind, parseBind } from '../config/bind.ts';
import { showPath } from '../config/load-config.ts';
import type { Hub } from '../hub.ts';
import { type CliContext, colorsFor, printJson, printLine } from './context.ts';
import { type ConfigOption, problemLine, withHub } from './open-hub.ts';

/** `zoo status`. */
export function showStatus(context: CliContext, options: ConfigOption & { json?: boolean }): Promise<void> {
  return withHub(context, { ...options, quiet: true }, async (hub) => {
    const status = await statusOf(hub);
    if (options.json) printJson(context, status);
    else printStatus(context, status);
  });
}

type Status = Awaited<ReturnType<typeof statusOf>>;

async function statusOf(hub: Hub) {
  const agents = hub.agents.list();
  const bySource = Object.fromEntries(
    [...new Set(agents.map((agent) => agent.source))].map((source) => [
      source,
      agents.filter((agent) => agent.source === source).length,
    ]),
  );
  return {
    version: hub.version,
    config: hub.config.file,
    data: { kind: hub.store.kind, place: hub.store.place },
    agents: { total: agents.length, bySource },
    tools: hub.tools.list().length,
    serving: await findServing(hub),
    problems: hub.problems(),
  };
}

/** The address of a hub that answers where this config would serve, or null. */
async function findServing(hub: Hub): Promise<string | null> {
  const bind = parseBind(hub.config.config.server.bind);
  if (!bind || bind.port === 0) return null;
  const url = `http://${formatBind(bind)}`;
  try {
    const response = await fetch(`${url}/health`, { signal: AbortSignal.timeout(1_000) });
    const body: unknown = await response.json();
    return typeof body === 'object' && body !== null && 'version' in body ? url : null;
  } catch {
    return null;
  }
}

function printStatus(context: CliContext, status: Status): void {
  const colors = colorsFor(context);
  const sources = Object.entries(status.agents.bySource).map(([source, count]) => `${count} ${source}`);
  const rows = [
    ['Version', status.version],
    ['Config', status.config === null ? 'none (the defaults serve)' : showPath(status.config, context.cwd)],
    ['Data', `${status.data.kind} (${status.data.place})`],
    ['Agents', sources.length === 0 ? '0' : `${status.agents.total} (${sources.join(', ')})`],
    ['Tools', String(status.tools)],
    ['Serving', status.serving ?? 'no ("zoo serve" starts the hub)'],
    ['Problems', String(status.problems.length)],
  ];
  for (const [label = '', value = ''] of rows) printLine(context, `${colors.dim(label.padEnd(9))} ${value}`);
  for (const problem of status.problems) printLine(context, `  ${colors.yellow(problemLine(problem))}`);
}
