import { type Command, InvalidArgumentError, Option } from 'commander';
import { collectValue } from '../lua/scripts.cli.ts';
import type { CliContext } from './terminal/context.ts';
import { command, configOption, jsonOption, wholeNumber } from './terminal/options.ts';

/** `zoo mcp-server`, `zoo provider` and `zoo run`. */
export function addServerCommands(context: CliContext, program: Command): void {
  addServers(context, program);
  addProviders(context, program);
  addRun(context, program);
  addChat(context, program);
}

function addServers(context: CliContext, program: Command): void {
  const group = program.command('mcp-server').description('external MCP servers and their tools').helpCommand(false);
  const load = () => import('../servers/servers.cli.ts');
  command(group, 'list', 'list servers and their state').action(async (options) =>
    (await load()).listServers(context, options),
  );
  command(group, 'show', 'show a server with its tools')
    .argument('<name>')
    .action(async (name, options) => (await load()).showServer(context, name, options));
  command(group, 'add', 'add a server: its address, or "--" and the command that starts it')
    .argument('<name>')
    .argument('<command-or-url...>', 'https://…, or -- COMMAND ARGUMENTS')
    .addOption(new Option('--transport <kind>', 'for an address').choices(['streamable-http', 'sse']))
    .option('-e, --env <key=value>', 'a variable for the command; repeat for more', collectValue, {})
    .option('-H, --header <key=value>', 'a header for the address; repeat for more', collectValue, {})
    .option('--bearer <token>', 'a token, or a variable in braces that is read when it connects')
    .option('--oauth', 'sign in with OAuth')
    .option('--cwd <folder>', 'where the command runs')
    .option('--prefix <text>', "before its tools' names (default: mcp__NAME__)")
    .addOption(new Option('--trust <how>', 'which tools are accepted').choices(['first-use', 'ask', 'always']))
    .option('--no-connect', 'only add it: success also when it cannot be reached')
    .action(async (name, words, options) => (await load()).addServer(context, name, words, options));
  command(group, 'import', 'add the servers of a file that Claude, Cursor, VS Code or Codex wrote')
    .argument('<file>', '"-" reads stdin')
    .option('--dry-run', 'only say what would be added')
    .action(async (file, options) => (await load()).importFile(context, file, options));
  command(group, 'test', 'connect a server and list what it offers')
    .argument('<name>')
    .action(async (name, options) => (await load()).testServer(context, name, options));
  command(group, 'sign-in', 'sign in to a server with OAuth, in a browser')
    .argument('<name>')
    .option('--open', 'open the browser')
    .action(async (name, options) =>
      (await import('../servers/sign-in.cli.ts')).signInToServer(context, name, options),
    );
  command(group, 'sign-out', 'forget the sign-in of a server')
    .argument('<name>')
    .action(async (name, options) =>
      (await import('../servers/sign-in.cli.ts')).signOutOfServer(context, name, options),
    );
  command(group, 'accept', 'accept new and changed tools, after showing them')
    .argument('<name>')
    .argument('[tools...]', 'only these')
    .option('-y, --yes', 'do not ask')
    .action(async (name, tools, options) => (await load()).acceptTools(context, name, tools, options));
  command(group, 'remove', 'remove a server')
    .argument('<name>')
    .action(async (name, options) => (await load()).removeServer(context, name, options));
}

function addProviders(context: CliContext, program: Command): void {
  const group = program.command('provider').description('providers of models, and their keys').helpCommand(false);
  const load = () => import('../models/providers.cli.ts');
  command(group, 'list', 'list providers and what they need').action(async (options) =>
    (await load()).listProviders(context, options),
  );
  command(group, 'models', "list a provider's models")
    .argument('<name>')
    .action(async (name, options) => (await load()).listModels(context, name, options));
  command(group, 'key', 'keep a key, encrypted; it is read from stdin')
    .argument('<name>')
    .option('--remove', 'forget it instead')
    .action(async (name, options) => (await load()).setKey(context, name, options));
}

function addRun(context: CliContext, program: Command): void {
  const load = () => import('../runs/run.cli.ts');
  const run = program
    .command('run')
    .description('let an agent answer, with its model and its tools')
    .helpCommand(false)
    .argument('<agent>')
    .argument('<message>', '"-" reads it from stdin')
    .option('--model <provider/model>', 'another model than the agent names')
    .option('--arg <key=value>', "an argument of the agent's prompt; repeat for more", collectValue, {})
    .option('--max-ticks <number>', 'how often the model is asked at most (default: 10)', wholeNumber)
    .option('--max-tokens <number>', 'stop when so many tokens were used', wholeNumber)
    .option('--max-cost <dollars>', 'stop when it cost so much', dollars)
    .option('-y, --yes', 'approve every tool call without asking')
    .addOption(configOption())
    .addOption(jsonOption())
    .action(async (agent, message, options) => (await load()).runOnce(context, agent, message, options));
  run.addHelpText('after', '\n"zoo runs" lists what was run, "zoo runs ID" shows one.');
  program
    .command('runs')
    .description('list runs of agents, or show one')
    .argument('[id]')
    .option('--agent <name>', 'only those of this agent')
    .option('-n, --limit <number>', 'how many at most', wholeNumber, 20)
    .addOption(configOption())
    .addOption(jsonOption())
    .action(async (id, options) => (await import('../runs/runs.cli.ts')).showRuns(context, id, options));
}

function addChat(context: CliContext, program: Command): void {
  const chat = program
    .command('chat')
    .description('talk with an agent; the chat is kept')
    .helpCommand(false)
    .argument('[agent]')
    .option('--continue', 'go on with the newest chat with the agent')
    .option('--chat <id>', 'go on with this one')
    .option('--model <provider/model>', 'another model than the agent names')
    .option('--arg <key=value>', "an argument of the agent's prompt; repeat for more", collectValue, {})
    .option('-y, --yes', 'approve every tool call without asking')
    .option('--list', 'list chats')
    .option('-n, --limit <number>', 'of the list: how many at most', wholeNumber, 20)
    .addOption(configOption())
    .addOption(jsonOption())
    .action(async (agent, options) =>
      options.list
        ? (await import('../chats/list-chats.cli.ts')).listChats(context, agent, options)
        : (await import('../chats/chat.cli.ts')).chat(context, agent, options),
    );
  chat.addHelpText('after', '\nLines are messages; /help in the chat shows its commands. Ctrl-C stops an answer.');
}

function dollars(text: string): number {
  const number = Number(text);
  if (!(number > 0 && number < 1_000_000))
    throw new InvalidArgumentError('It must be an amount of US dollars, such as 0.50.');
  return number;
}
