import { type Command, InvalidArgumentError } from 'commander';
import type { CliContext } from '../cli/terminal/context.ts';
import { configOption, jsonOption } from '../cli/terminal/options.ts';

/** `zoo tool …` and `zoo connector …`. */
export function addScriptCommands(context: CliContext, program: Command): void {
  const tool = program.command('tool').description('list, call, test and make tools').helpCommand(false);
  tool
    .command('list')
    .description('list every tool and where it comes from')
    .addOption(configOption())
    .addOption(jsonOption())
    .action(async (options) => (await import('../tools/list-tools.cli.ts')).listTools(context, options));
  tool
    .command('test')
    .description('run a tool, as a client would')
    .argument('<name>')
    .option('-p, --param <key=value>', 'a parameter of the tool; repeat for more', collectValue, {})
    .option('--json-input <json>', 'all parameters as a JSON object')
    .addOption(configOption())
    .addOption(jsonOption())
    .action(async (name, options) => (await import('./tool-test.cli.ts')).testTool(context, name, options));
  tool
    .command('call')
    .description('call a tool and print its result alone')
    .argument('<name>')
    .option('-p, --param <key=value>', 'a parameter of the tool; repeat for more', collectValue, {})
    .option('--json-input <json>', 'all parameters as a JSON object')
    .option('--agent <name>', "in this agent's scope")
    .addOption(configOption())
    .addOption(jsonOption())
    .action(async (name, options) => (await import('../tools/call-tool.cli.ts')).callTool(context, name, options));
  tool
    .command('init')
    .description('add a new tool, a Lua script')
    .argument('<name>')
    .option('--description <text>', 'what it does, for the model that chooses it')
    .addOption(configOption())
    .action(async (name, options) => (await import('./tool-init.cli.ts')).initTool(context, name, options));

  const connector = program
    .command('connector')
    .description('test, make and remove sources of documents')
    .helpCommand(false);
  connector
    .command('test')
    .description('show what a source holds, and write nothing')
    .argument('<name>', 'its name, or TYPE:NAME')
    .option('--limit <number>', 'how many items to show', atLeastOne, 5)
    .addOption(configOption())
    .addOption(jsonOption())
    .action(async (name, options) =>
      (await import('../knowledge/connector.cli.ts')).testConnector(context, name, options),
    );
  connector
    .command('init')
    .description('add a new source, a Lua script')
    .argument('<name>')
    .addOption(configOption())
    .action(async (name, options) =>
      (await import('../knowledge/connector.cli.ts')).initConnector(context, name, options),
    );
  connector
    .command('remove')
    .description('remove a source that the config no longer names, with its documents')
    .argument('<source>', 'TYPE:NAME, as "zoo sources" shows it')
    .addOption(configOption())
    .action(async (source, options) =>
      (await import('../knowledge/connector.cli.ts')).removeConnector(context, source, options),
    );
}

export function collectValue(text: string, before: Record<string, string>): Record<string, string> {
  const split = text.indexOf('=');
  if (split < 1) throw new InvalidArgumentError('Write it as key=value.');
  return { ...before, [text.slice(0, split)]: text.slice(split + 1) };
}

function atLeastOne(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1) throw new InvalidArgumentError('Write a whole number from 1.');
  return number;
}
