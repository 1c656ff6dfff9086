import { HubError } from '../base/hub-error.ts';
import { type ConfigOption, withHub } from '../cli/open-hub.ts';
import { recordCommand } from '../cli/record-command.ts';
import { type CliContext, printLine } from '../cli/terminal/context.ts';
import { findAgent } from './find-agent.cli.ts';

/** `zoo agent revoke`: removes a lasting approval. */
export function revokeApproval(context: CliContext, name: string, tool: string, options: ConfigOption): Promise<void> {
  return withHub(context, options, async (hub) => {
    const { agent } = await findAgent(hub, name);
    if (await hub.store.grants.remove(agent.id, tool)) {
      const act = { summary: 'Remove a lasting approval', target: `${agent.id} / ${tool}` };
      await recordCommand(hub, 'zoo agent revoke', act);
      return printLine(context, `Removed. "${agent.id}" asks again before it calls ${tool}.`);
    }
    const granted = (await hub.store.grants.list(agent.id)).map((grant) => grant.tool).join(', ') || 'none';
    const message = `"${agent.id}" has no lasting approval for "${tool.slice(0, 80)}". Approved: ${granted}.`;
    throw new HubError('NOT_FOUND', message);
  });
}
