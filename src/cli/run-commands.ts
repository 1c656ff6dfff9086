import { type Command, InvalidArgumentError, Option } from 'commander';
import { collectValue } from '../lua/scripts.cli.ts';
import type { CliContext } from './terminal/context.ts';
import { command, configOption, jsonOption, wholeNumber } from './terminal/options.ts';

/** Defines the commands that run agents and set up what they run with: `zoo mcp-server`, `provider`, `run`, `runs` and `chat`. */
export function addRunCommands(context: CliContext, program: Command): void {
  addServers(context, program);
  addProviders(context, program);
  addConfig(context, program);
  addRun(context, program);
  addChat(context, program);
}

function addServers(context: CliContext, program: Command): void {
  const group = program
    .command('mcp-server')
    .description('manage external MCP servers and their tools')
    .helpCommand(false);
  const load = () => import('../servers/servers.cli.ts');
  command(group, 'list', 'list servers and their state').action(async (options) =>
    (await load()).listServers(context, options),
  );
  command(group, 'show', 'show a server and its tools')
    .argument('<name>')
    .action(async (name, options) => (await load()).showServer(context, name, options));
  command(group, 'add', 'add a server by its URL, or by "--" and the command that starts it')
    .argument('<name>')
    .argument('<command-or-url...>', 'https://…, or -- COMMAND ARGUMENTS')
    .addOption(new Option('--transport <kind>', 'transport for a URL').choices(['streamable-http', 'sse']))
    .option('-e, --env <key=value>', 'an environment variable for the command (repeatable)', collectValue, {})
    .option('-H, --header <key=value>', 'an HTTP header for the URL (repeatable)', collectValue, {})
    .option('--bearer <token>', 'a token, or a reference to an environment variable that is read on connecting')
    .option('--oauth', 'sign in with OAuth')
    .option('--cwd <folder>', 'working folder of the command')
    .option('--prefix <text>', 'prefix for tool names (default: mcp__NAME__)')
    .addOption(
      new Option('--trust <how>', 'which tools to accept without asking').choices(['first-use', 'ask', 'always']),
    )
    .option('--trust-hints', 'trust its hints: tools that it calls read-only need no approval')
    .option('--no-connect', 'add it without connecting')
    .action(async (name, words, options) => (await load()).addServer(context, name, words, options));
  command(group, 'import', 'import servers from the config of Claude, Cursor, VS Code or Codex')
    .argument('<file>', 'the config file, or - for stdin')
    .option('--dry-run', 'show what would be added, without adding it')
    .action(async (file, options) => (await load()).importFile(context, file, options));
  const loadCatalogue = () => import('../servers/catalogue/catalogue.cli.ts');
  const catalogue = command(group, 'catalogue', 'search the catalogue of well-known servers')
    .argument('[words...]', 'words in the name or description (default: all servers)')
    .action(async (words, options) => (await loadCatalogue()).listCatalogue(context, words, options));
  command(catalogue, 'update', 'fetch a list in the format of the MCP registry, and add it to the catalogue')
    .argument('[url-or-file]', 'https://…, or a file (default: the public MCP registry)')
    // The group above has the same options, and takes them.
    .action(async (from, _options, update: Command) =>
      (await loadCatalogue()).updateCatalogue(context, from, update.optsWithGlobals()),
    );
  command(group, 'test', 'connect to a server and list its tools')
    .argument('<name>')
    .action(async (name, options) => (await load()).testServer(context, name, options));
  command(group, 'sign-in', 'sign in to a server with OAuth, in a browser')
    .argument('<name>')
    .option('--open', 'open the browser')
    .action(async (name, options) =>
      (await import('../servers/sign-in.cli.ts')).signInToServer(context, name, options),
    );
  command(group, 'sign-out', 'sign out of a server')
    .argument('<name>')
    .action(async (name, options) =>
      (await import('../servers/sign-in.cli.ts')).signOutOfServer(context, name, options),
    );
  command(group, 'accept', 'review and accept new and changed tools')
    .argument('<name>')
    .argument('[tools...]', 'tools to accept (default: all)')
    .option('--of <version>', 'accept only the tools of this server version (default: all versions)')
    .option('-y, --yes', 'do not ask')
    .action(async (name, tools, options) => (await load()).acceptTools(context, name, tools, options));
  command(group, 'remove', 'remove a server')
    .argument('<name>')
    .action(async (name, options) => (await load()).removeServer(context, name, options));
}

function addProviders(context: CliContext, program: Command): void {
  const group = program.command('provider').description('manage model providers and their API keys').helpCommand(false);
  const load = () => import('../models/providers.cli.ts');
  command(group, 'list', 'list providers, and whether their last request worked').action(async (options) =>
    (await load()).listProviders(context, options),
  );
  command(group, 'add', 'add a provider, or change one that was added')
    .argument('<name>')
    .addOption(
      new Option('--type <type>', 'the API it speaks')
        .choices(['openai', 'anthropic', 'google', 'ollama', 'openai-compatible'])
        .default('openai-compatible'),
    )
    .option('--url <address>', "its address, such as http://127.0.0.1:8000/v1 (default: the type's own)")
    .option('--key', 'read its API key from stdin; it is stored encrypted')
    .option('--save-anyway', 'save it even if it does not answer')
    .action(async (name, options) => (await load()).addProvider(context, name, options));
  command(group, 'test', 'ask a provider for its models, and a model for a short answer')
    .argument('<name>')
    .option('--model <model>', "the provider's name for the model to ask")
    .action(async (name, options) => (await load()).testProvider(context, name, options));
  command(group, 'remove', 'remove a provider that was added, and its key')
    .argument('<name>')
    .action(async (name, options) => (await load()).removeProvider(context, name, options));
  command(group, 'models', "list a provider's models")
    .argument('<name>')
    .action(async (name, options) => (await load()).listModels(context, name, options));
  command(group, 'key', 'save an API key (read from stdin, stored encrypted)')
    .argument('<name>')
    .option('--remove', 'delete the saved key')
    .action(async (name, options) => (await load()).setKey(context, name, options));
}

function addConfig(context: CliContext, program: Command): void {
  const group = program
    .command('config')
    .description('show and change settings, in zoo.toml or in the hub')
    .helpCommand(false);
  const load = () => import('../settings/config.cli.ts');
  command(group, 'get', 'show one setting, or all settings and where they come from')
    .argument('[key]', 'such as log.keep_days')
    .action(async (key, options) => (await load()).getSetting(context, key, options));
  command(group, 'set', 'change a setting; comments in zoo.toml are kept')
    .argument('<key>', 'such as log.keep_days')
    .argument('<value>', 'text, a number, true, false, or a list such as \'["a", "b"]\'')
    .action(async (key, value, options) => (await load()).changeSetting(context, key, value, options));
  command(group, 'unset', 'remove a setting, so that the default applies')
    .argument('<key>')
    .action(async (key, options) => (await load()).changeSetting(context, key, null, options));
}

function addRun(context: CliContext, program: Command): void {
  const load = () => import('../runs/run.cli.ts');
  const run = program
    .command('run')
    .description('run an agent with its model and its tools')
    .helpCommand(false)
    .argument('<agent>')
    .argument('<message>', 'the message, or - for stdin')
    .option('--model <provider/model>', "use this model instead of the agent's own")
    .option('--arg <key=value>', "an argument for the agent's prompt (repeatable)", collectValue, {})
    .option('--max-ticks <number>', 'maximum number of model calls (default: 10)', wholeNumber)
    .option('--max-tokens <number>', 'stop after this many tokens', wholeNumber)
    .option('--max-cost <dollars>', 'stop at this cost in US dollars', dollars)
    .option('-y, --yes', 'approve every tool call without asking')
    .addOption(configOption())
    .addOption(jsonOption())
    .action(async (agent, message, options) => (await load()).runOnce(context, agent, message, options));
  run.addHelpText('after', '\nUse "zoo runs" to list past runs and "zoo runs ID" to show one.');
  program
    .command('runs')
    .description('list past runs, or show one')
    .argument('[id]')
    .option('--agent <name>', 'only runs of this agent')
    .option('--called', 'also list runs that other runs started by calling an agent')
    .option('-n, --limit <number>', 'maximum number of entries', wholeNumber, 20)
    .addOption(configOption())
    .addOption(jsonOption())
    .action(async (id, options) => (await import('../runs/runs.cli.ts')).showRuns(context, id, options));
}

function addChat(context: CliContext, program: Command): void {
  const chat = program
    .command('chat')
    .description('chat with an agent')
    .helpCommand(false)
    .argument('[agent]')
    .option('--continue', 'continue the most recent chat with the agent')
    .option('--chat <id>', 'continue this chat')
    .option('--model <provider/model>', "use this model instead of the agent's own")
    .option('--arg <key=value>', "an argument for the agent's prompt (repeatable)", collectValue, {})
    .option('-y, --yes', 'approve every tool call without asking')
    .option('--list', 'list chats')
    .option('-n, --limit <number>', 'with --list: maximum number of chats', wholeNumber, 20)
    .addOption(configOption())
    .addOption(jsonOption())
    .action(async (agent, options) =>
      options.list
        ? (await import('../chats/list-chats.cli.ts')).listChats(context, agent, options)
        : (await import('../chats/chat.cli.ts')).chat(context, agent, options),
    );
  chat.addHelpText('after', '\nEach line is a message. Type /help for commands. Ctrl-C stops an answer.');
}

function dollars(text: string): number {
  const number = Number(text);
  if (!(number > 0 && number < 1_000_000)) throw new InvalidArgumentError('Use an amount in US dollars, such as 0.50.');
  return number;
}
