import { type Command, InvalidArgumentError } from 'commander';
import { HubError } from '../base/hub-error.ts';
import type { CliContext } from '../cli/terminal/context.ts';
import { configOption, jsonOption } from '../cli/terminal/options.ts';

/** `zoo tool …` and `zoo connector …`. */
export function addScriptCommands(context: CliContext, program: Command): void {
  const tool = program.command('tool').description('list, call, test and create tools').helpCommand(false);
  tool
    .command('list')
    .description('list all tools and their origins')
    .addOption(configOption())
    .addOption(jsonOption())
    .action(async (options) => (await import('../tools/tools.cli.ts')).listTools(context, options));
  tool
    .command('test')
    .description('call a tool and show its input, result and timing')
    .argument('<name>', 'the name of a tool, or a Lua file')
    .option('-p, --param <key=value>', 'a parameter of the tool (repeatable)', collectValue, {})
    .option('--json-input <json>', 'all parameters as a JSON object')
    .option('-s, --source <name>', 'for a file: the settings of [tools.script.NAME]')
    .addOption(configOption())
    .addOption(jsonOption())
    .action(async (name, options) => (await import('./tool-test.cli.ts')).testTool(context, name, options));
  tool
    .command('call')
    .description('call a tool and print only its result')
    .argument('<name>')
    .option('-p, --param <key=value>', 'a parameter of the tool (repeatable)', collectValue, {})
    .option('--json-input <json>', 'all parameters as a JSON object')
    .option('--agent <name>', 'call it within the scope of this agent')
    .addOption(configOption())
    .addOption(jsonOption())
    .action(async (name, options) => (await import('../tools/tools.cli.ts')).callTool(context, name, options));
  tool
    .command('init')
    .description('create a tool as a Lua script')
    .argument('<name>')
    .option('--description <text>', 'what the tool does, for the model')
    .addOption(configOption())
    .action(async (name, options) => (await import('./tool-init.cli.ts')).initTool(context, name, options));

  program
    .command('registry', { hidden: true })
    .argument('[words...]')
    .allowUnknownOption()
    .action(() => {
      throw new HubError(
        'NOT_CONFIGURED',
        'Registries are managed with git: clone one to the path of its [registries.NAME], and "git pull" updates it. "zoo tool list" and "zoo agent list" show what it adds.',
      );
    });
  const connector = program
    .command('connector')
    .description('test, create and remove document sources')
    .helpCommand(false);
  connector
    .command('test')
    .description('show the documents of a source without indexing them')
    .argument('<name>', 'NAME, TYPE:NAME or a Lua file')
    .option('-s, --source <name>', 'for a file: the settings of [connectors.script.NAME]')
    .option('--limit <number>', 'maximum number of documents to show', atLeastOne, 5)
    .addOption(configOption())
    .addOption(jsonOption())
    .action(async (name, options) =>
      (await import('../knowledge/connector.cli.ts')).testConnector(context, name, options),
    );
  connector
    .command('init')
    .description('create a source as a Lua script')
    .argument('<name>')
    .addOption(configOption())
    .action(async (name, options) =>
      (await import('../knowledge/connector.cli.ts')).initConnector(context, name, options),
    );
  connector
    .command('remove')
    .description('remove a source that is no longer in the config, and its documents')
    .argument('<source>', 'TYPE:NAME, as listed by "zoo sources"')
    .addOption(configOption())
    .action(async (source, options) =>
      (await import('../knowledge/connector.cli.ts')).removeConnector(context, source, options),
    );
}

export function collectValue(text: string, before: Record<string, string>): Record<string, string> {
  const split = text.indexOf('=');
  if (split < 1) throw new InvalidArgumentError('Use key=value.');
  return { ...before, [text.slice(0, split)]: text.slice(split + 1) };
}

function atLeastOne(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1) throw new InvalidArgumentError('Use a whole number of 1 or more.');
  return number;
}
