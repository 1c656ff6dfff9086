import { HubError } from '../base/hub-error.ts';
import { nearest } from '../base/nearest.ts';
import { type ConfigOption, withHub } from '../cli/open-hub.ts';
import { type CliContext, printLine } from '../cli/terminal/context.ts';
import { cloneAgent, createAgent, deleteAgent } from './edit-agents.ts';
import { findAgent } from './find-agent.cli.ts';
import { agentTemplates } from './templates.ts';

/** `zoo agent new NAME --template ID`: creates an agent from a template. */
export function newAgent(
  context: CliContext,
  name: string,
  options: ConfigOption & { template: string },
): Promise<void> {
  const template = agentTemplates.find((each) => each.id === options.template);
  if (!template) {
    const ids = agentTemplates.map((each) => each.id);
    const near = nearest(options.template, ids);
    const hint = near ? `Did you mean "${near}"?` : `Available: ${ids.join(', ')}.`;
    throw new HubError('NOT_FOUND', `Unknown template "${options.template.slice(0, 80)}". ${hint}`);
  }
  return withHub(context, options, async (hub) => {
    const { agent } = await createAgent(hub, { ...template.agent, name });
    printLine(context, `Created: ${agent.id} (${agent.name}), from the template "${template.id}"`);
  });
}

/** `zoo agent clone NAME [NEW-NAME]`: copies an agent into the store. */
export function clone(
  context: CliContext,
  [name, copyName]: [string, string | undefined],
  options: ConfigOption,
): Promise<void> {
  return withHub(context, options, async (hub) => {
    const original = await findAgent(hub, name);
    const { agent } = await cloneAgent(hub, original.agent.id, { name: copyName });
    printLine(context, `Created: ${agent.id} (${agent.name}), a copy of ${original.agent.id}`);
  });
}

/** `zoo agent delete NAME`: deletes an agent. The web app can restore it. */
export function remove(context: CliContext, name: string, options: ConfigOption): Promise<void> {
  return withHub(context, options, async (hub) => {
    const { agent } = await findAgent(hub, name);
    await deleteAgent(hub, agent.id, null);
    printLine(context, `Deleted: ${agent.id}`);
  });
}
