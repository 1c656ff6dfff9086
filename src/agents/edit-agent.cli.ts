import { HubError } from '../base/hub-error.ts';
import { nearest } from '../base/nearest.ts';
import { type ConfigOption, withHub } from '../cli/open-hub.ts';
import { recordCommand } from '../cli/record-command.ts';
import { type CliContext, printLine } from '../cli/terminal/context.ts';
import { printableLine } from '../cli/terminal/text-width.ts';
import { briefAgent } from './brief-agent.ts';
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
    const { agent, revision } = await createAgent(hub, { ...template.agent, name });
    const act = { summary: 'Create an agent', target: agent.id, after: briefAgent(agent, revision) };
    await recordCommand(hub, 'zoo agent new', act);
    printLine(context, `Created: ${agent.id} (${printableLine(agent.name)}), from the template "${template.id}"`);
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
    const { agent, revision } = await cloneAgent(hub, original.agent.id, { name: copyName });
    const act = { summary: 'Copy an agent', target: agent.id, after: briefAgent(agent, revision) };
    await recordCommand(hub, 'zoo agent clone', act);
    printLine(context, `Created: ${agent.id} (${printableLine(agent.name)}), a copy of ${original.agent.id}`);
  });
}

/** `zoo agent delete NAME`: deletes an agent. The web app can restore it. */
export function remove(context: CliContext, name: string, options: ConfigOption): Promise<void> {
  return withHub(context, options, async (hub) => {
    const { agent, revision } = await findAgent(hub, name);
    await deleteAgent(hub, agent.id, null);
    const act = { summary: 'Delete an agent', target: agent.id, before: briefAgent(agent, revision) };
    await recordCommand(hub, 'zoo agent delete', act);
    printLine(context, `Deleted: ${agent.id}`);
  });
}
