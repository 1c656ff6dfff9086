import type { Agent } from '../agents/agent.ts';
import { type CliContext, colorsFor, printJson, printLine } from './context.ts';
import { type ConfigOption, withHub } from './open-hub.ts';
import { fitText, padText, printableLine, textWidth } from './text-width.ts';

/** `zoo agent list`, in the columns of seed 002 §9.1. */
export function listAgents(context: CliContext, options: ConfigOption & { json?: boolean }): Promise<void> {
  return withHub(context, options, async (hub) => {
    const agents = hub.agents.list();
    if (options.json) {
      return printJson(
        context,
        hub.agents.entries().map(({ agent, place }) => ({
          id: agent.id,
          name: agent.name,
          description: agent.description,
          tools: agent.tools,
          arguments: agent.arguments,
          mode: agent.mode,
          source: agent.source,
          place,
        })),
      );
    }
    if (agents.length === 0) return printLine(context, 'There are no agents yet. "zoo agent init NAME" makes one.');
    printAgents(context, agents);
  });
}

function printAgents(context: CliContext, agents: readonly Agent[]): void {
  const colors = colorsFor(context);
  const names = widest(agents.map((agent) => agent.id));
  const endings = agents.map((agent) => toolsText(agent) + mark(agent));
  const room = roomFor(context, names + Math.min(40, widest(endings)));
  const descriptions = agents.map((agent) => fitText(printableLine(agent.description), room));
  const width = widest(descriptions);
  for (const [index, agent] of agents.entries()) {
    const name = colors.bold(agent.id) + ' '.repeat(names - agent.id.length);
    const description = padText(descriptions[index] ?? '', width);
    printLine(context, `  ${name}   ${description}   ${colors.dim(endings[index] ?? '')}`.trimEnd());
  }
}

function toolsText(agent: Agent): string {
  return agent.tools.length === 0 ? '' : `(tools: ${printableLine(agent.tools.join(', '))})`;
}

/** Where an agent comes from, when that is neither the web app nor the config file. */
function mark(agent: Agent): string {
  return agent.source === 'store' || agent.source === 'toml' ? '' : `  [${agent.source}]`;
}

/** On a terminal a description takes what the other columns leave; in a pipe it is whole. */
function roomFor(context: CliContext, others: number): number {
  if (!context.stdout.isTTY) return Number.POSITIVE_INFINITY;
  return Math.max(24, (context.stdout.columns ?? 100) - others - 8);
}

function widest(texts: readonly string[]): number {
  return Math.max(0, ...texts.map(textWidth));
}
