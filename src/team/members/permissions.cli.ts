import { HubError } from '../../base/hub-error.ts';
import { type ConfigOption, withHub } from '../../cli/open-hub.ts';
import { type CliContext, colorsFor, printJson, printLine } from '../../cli/terminal/context.ts';
import { printTable } from '../../cli/terminal/print-table.ts';
import { memberTypes } from './member.ts';

type Options = ConfigOption & { json?: boolean };

/** `zoo permissions check MEMBER TOOL`: prints the decision and its rule. The exit code is 1 if the call is denied. */
export function checkPermission(context: CliContext, member: string, tool: string, options: Options): Promise<void> {
  return withHub(context, options, async (hub) => {
    const tools = await hub.allTools();
    const known = tools.find(({ name }) => name === tool);
    if (!known) {
      throw new HubError(
        'UNKNOWN_TOOL',
        `There is no tool "${tool.slice(0, 80)}". "zoo permissions matrix" shows all tools.`,
      );
    }
    const [judged] = await hub.team.members.permissions(member, [known]);
    if (!judged) throw new Error('a tool was judged and has no decision');
    const { decision } = judged;
    if (options.json) printJson(context, { agentId: member, tool, allowed: decision.allowed, rule: decision.rule });
    else {
      const { green, red } = colorsFor(context);
      const word = decision.allowed ? green('allowed') : red('denied');
      printLine(context, `${member} → ${tool}: ${word} (${decision.rule})`);
    }
    if (!decision.allowed) context.exitCode = 1;
  });
}

/** `zoo permissions matrix`: prints which member types may call which tools. */
export function printMatrix(context: CliContext, options: Options): Promise<void> {
  return withHub(context, options, async (hub) => {
    const rows = await hub.team.members.matrix(await hub.allTools());
    if (options.json) return printJson(context, rows);
    const cells = rows.map(({ tool, decisions }) => [
      tool,
      ...memberTypes.map((type) => (decisions[type].allowed ? 'yes' : '–')),
    ]);
    printTable(context, ['TOOL', ...memberTypes], cells);
  });
}
