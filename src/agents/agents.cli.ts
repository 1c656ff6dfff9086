import { type Command, Option } from 'commander';
import type { CliContext } from '../cli/terminal/context.ts';
import { configOption, jsonOption } from '../cli/terminal/options.ts';
import { collectValue } from '../lua/scripts.cli.ts';

/** `zoo agent …`. */
export function addAgentCommands(context: CliContext, program: Command): void {
  const agent = program.command('agent').description('list, test, create and transfer agents').helpCommand(false);

  agent
    .command('list')
    .description('list all agents and their tools')
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
    .command('revoke')
    .description('remove a lasting approval, so that the agent asks again')
    .argument('<name>')
    .argument('<tool>')
    .addOption(configOption())
    .action(async (name, tool, options) =>
      (await import('./revoke-approval.cli.ts')).revokeApproval(context, name, tool, options),
    );
  agent
    .command('test')
    .description('show the prompt that an MCP client would get')
    .argument('<name>')
    .option('-a, --arg <key=value>', 'an argument of the agent (repeatable)', collectValue, {})
    .addOption(configOption())
    .addOption(jsonOption())
    .action(async (name, options) => (await import('./test-agent.cli.ts')).testAgent(context, name, options));
  agent
    .command('serve')
    .description('serve a Tools-mode agent as an MCP server, on stdio or HTTP')
    .argument('<agent>', 'the id of an agent, or an agent file')
    .option('--http', 'serve over HTTP instead of stdio')
    .option('--bind <host:port>', 'with --http: address to listen on (default: 127.0.0.1:7332)')
    .option('--log-json', 'log JSON lines, even on a terminal')
    .addOption(configOption())
    .action(async (name, options) => (await import('./serve-agent.cli.ts')).serveAgent(context, name, options));
  agent
    .command('init')
    .description('add a new agent to the config')
    .argument('<name>')
    .option('--lua', 'write a Lua script (default)')
    .option('--toml', 'write a section of the config')
    .option('--ts', 'write a TypeScript file')
    .option('--description <text>', 'a one-line description')
    .addOption(configOption())
    .action(async (name, options) => (await import('./init-agent.cli.ts')).initAgent(context, name, options));
  agent
    .command('new')
    .description('create an agent from a template; edit it in the web app')
    .argument('<name>')
    .requiredOption('-t, --template <id>', 'the template, as listed by "zoo template list"')
    .addOption(configOption())
    .action(async (name, options) => (await import('./edit-agent.cli.ts')).newAgent(context, name, options));
  agent
    .command('clone')
    .description('copy an agent so that you can edit it in the web app')
    .argument('<name>')
    .argument('[new-name]', 'the name of the copy')
    .addOption(configOption())
    .action(async (name, copy, options) => (await import('./edit-agent.cli.ts')).clone(context, [name, copy], options));
  agent
    .command('delete')
    .description('delete an agent that was created in the web app')
    .argument('<name>')
    .addOption(configOption())
    .action(async (name, options) => (await import('./edit-agent.cli.ts')).remove(context, name, options));
  agent
    .command('default')
    .description('show or set the agent that clients in this folder are offered first')
    .argument('[name]')
    .option('--folder <folder>', 'another folder')
    .option('--clear', 'remove the default agent of the folder')
    .addOption(configOption())
    .addOption(jsonOption())
    .action(async (name, options) => (await import('./default-agent.cli.ts')).defaultAgent(context, name, options));
  agent
    .command('export')
    .description('export agents as JSON, with brains and versions')
    .argument('[names...]', 'agents to export (default: all)')
    .option('-o, --output <file>', 'the file to write (default: stdout)')
    .option('--force', 'overwrite the file if it exists')
    .option('--no-brain', 'leave out what the agents remember')
    .option('--no-versions', 'leave out the earlier versions of the agents')
    .addOption(configOption())
    .action(async (names, options) => (await import('./transfer-agents.cli.ts')).exportTo(context, names, options));
  agent
    .command('import')
    .description('import agents from JSON')
    .argument('<file>', 'an exported file, the agents.json of AgentZoo, or - for stdin')
    .addOption(
      new Option('--on-taken <how>', 'what to do if an id is taken')
        .choices(['rename', 'skip', 'replace'])
        .default('rename'),
    )
    .option('-y, --yes', 'do not ask about agents that may call every tool, or that never ask')
    .addOption(configOption())
    .addOption(jsonOption())
    .action(async (file, options) => (await import('./transfer-agents.cli.ts')).importFrom(context, file, options));
}
