import { resolve } from 'node:path';
import { realPath } from '../base/real-path.ts';
import { type ConfigOption, withHub } from '../cli/open-hub.ts';
import { recordCommand } from '../cli/record-command.ts';
import { type CliContext, printJson, printLine } from '../cli/terminal/context.ts';
import { printableLine } from '../cli/terminal/text-width.ts';
import { findAgent } from './find-agent.cli.ts';
import { clearWorkspace, setWorkspace } from './set-workspace.ts';

export interface DefaultAgentOptions extends ConfigOption {
  folder?: string;
  clear?: boolean;
  json?: boolean;
}

/** `zoo agent default [NAME]`: shows, sets or removes the agent that clients in a folder are offered first. */
export function defaultAgent(
  context: CliContext,
  name: string | undefined,
  options: DefaultAgentOptions,
): Promise<void> {
  const folder = resolve(context.cwd, options.folder ?? '.');
  return withHub(context, options, async (hub) => {
    if (options.clear) {
      await clearWorkspace(hub, folder);
      await recordCommand(hub, 'zoo agent default', {
        summary: 'Remove the default agent of a folder',
        target: folder,
      });
      return printLine(context, `Removed the default agent of ${printableLine(folder)}`);
    }
    if (name !== undefined) {
      const { agent } = await findAgent(hub, name);
      const set = await setWorkspace(hub, { folder, agentId: agent.id });
      const act = { summary: 'Set the default agent of a folder', target: set.folder, after: set };
      await recordCommand(hub, 'zoo agent default', act);
      return printLine(context, `Default agent of ${printableLine(set.folder)}: ${agent.id}`);
    }
    const found = await hub.defaultAgent(realPath(folder));
    if (options.json) return printJson(context, found ?? null);
    printLine(
      context,
      found
        ? `Default agent of ${printableLine(folder)}: ${found.agentId} (${found.from})`
        : 'This folder has no default agent. Set one with "zoo agent default NAME".',
    );
  });
}
