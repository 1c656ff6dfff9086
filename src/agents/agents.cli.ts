import { type Command, Option } from 'commander';
import type { CliContext } from '../cli/terminal/context.ts';
import { configOption, jsonOption } from '../cli/terminal/options.ts';
import { collectValue } from '../lua/scripts.cli.ts';

/** `zoo agent …`. */
export function addAgentCommands(context: CliContext, program: Command): void {
  const agent = program.command('agent').description('list, test, make and move agents').helpCommand(false);

  agent
    .command('list')
    .description('list every agent with its tools')
    .addOption(configOption())
    .addOption(jsonOption())
    .action(async (options) => (await import('./list-agents.cli.ts')).listAgents(context, options));
  agent
    .command('show')
    .description('show an agent and its compiled prompt')
    .argument('<name>')
    .addOption(configOption())
    .addOption(jsonOption())
    .action(async (name, options) => (await import('./show-agent.cli.ts')).showAgent(context, name, options));
  agent
    .command('test')
    .description('resolve the prompt an MCP client would get')
    .argument('<name>')
    .option('-a, --arg <key=value>', 'an argument of the agent; repeat for more', collectValue, {})
    .addOption(configOption())
    .addOption(jsonOption())
    .action(async (name, options) => (await import('./test-agent.cli.ts')).testAgent(context, name, options));
  agent
    .command('serve')
    .description('serve a Tools-mode agent as an MCP server, on stdio or HTTP')
    .argument('<agent>', 'its id, or a file')
    .option('--http', 'at an address, instead of stdio')
    .option('--bind <host:port>', 'with --http: the address to listen on (default: 127.0.0.1:7332)')
    .option('--log-json', 'log JSON lines also on a terminal')
    .addOption(configOption())
    .action(async (name, options) => (await import('./serve-agent.cli.ts')).serveAgent(context, name, options));
  agent
    .command('init')
    .description('add a new agent to the config')
    .argument('<name>')
    .option('--lua', 'as a Lua script (the default)')
    .option('--toml', 'as a section of the config')
    .option('--ts', 'as a TypeScript file')
    .option('--description <text>', 'one line for people who choose an agent')
    .addOption(configOption())
    .action(async (name, options) => (await import('./init-agent.cli.ts')).initAgent(context, name, options));
  agent
    .command('new')
    .description('make an agent from a starter template, to edit in the web app')
    .argument('<name>')
    .requiredOption('-t, --template <id>', '"zoo template list" shows them')
    .addOption(configOption())
    .action(async (name, options) => (await import('./edit-agent.cli.ts')).newAgent(context, name, options));
  agent
    .command('clone')
    .description('copy an agent of any source, to edit in the web app')
    .argument('<name>')
    .argument('[new-name]', 'what the copy is called')
    .addOption(configOption())
    .action(async (name, copy, options) => (await import('./edit-agent.cli.ts')).clone(context, [name, copy], options));
  agent
    .command('delete')
    .description('delete an agent made in the web app')
    .argument('<name>')
    .addOption(configOption())
    .action(async (name, options) => (await import('./edit-agent.cli.ts')).remove(context, name, options));
  agent
    .command('export')
    .description('write agents as JSON, for "zoo agent import" elsewhere')
    .argument('[names...]', 'which ones (default: all)')
    .option('-o, --output <file>', 'a file (default: standard output)')
    .option('--force', 'replace the file when it is there')
    .addOption(configOption())
    .action(async (names, options) => (await import('./transfer-agents.cli.ts')).exportTo(context, names, options));
  agent
    .command('import')
    .description('read agents from JSON')
    .argument('<file>', 'an export, or - for standard input')
    .addOption(
      new Option('--on-taken <how>', 'when an id is in use').choices(['rename', 'skip', 'replace']).default('rename'),
    )
    .addOption(configOption())
    .addOption(jsonOption())
    .action(async (file, options) => (await import('./transfer-agents.cli.ts')).importFrom(context, file, options));
}
