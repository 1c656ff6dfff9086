import { type ConfigOption, withHub } from '../cli/open-hub.ts';
import { type CliContext, printJson, printLine } from '../cli/terminal/context.ts';
import { printEntries } from '../cli/terminal/print-table.ts';
import type { Agent } from './agent.ts';

/** `zoo agent list`: prints id, description and scope of every agent. */
export function listAgents(context: CliContext, options: ConfigOption & { json?: boolean }): Promise<void> {
  return withHub(context, options, async (hub) => {
    const agents = hub.agents.list();
    if (options.json) {
      return printJson(
        context,
        hub.agents.entries().map(({ agent, definedIn }) => ({
          id: agent.id,
          name: agent.name,
          description: agent.description,
          tools: agent.tools,
          arguments: agent.arguments,
          mode: agent.mode,
          source: agent.source,
          place: definedIn,
        })),
      );
    }
    if (agents.length === 0)
      return printLine(context, 'You have no agents yet. Create one with "zoo agent init NAME".');
    printEntries(
      context,
      agents.map((agent) => ({ name: agent.id, text: agent.description, note: toolsText(agent) + sourceText(agent) })),
    );
  });
}

function toolsText(agent: Agent): string {
  return agent.tools.length === 0 ? '' : `(tools: ${agent.tools.join(', ')})`;
}

/** Names the source of an agent that comes neither from the web app nor from the config file. */
function sourceText(agent: Agent): string {
  return agent.source === 'store' || agent.source === 'toml' ? '' : `  [${agent.source}]`;
}
