import { Argument, Command, CommanderError, Help, Option } from 'commander';
import { addAgentCommands } from '../agents/agents.cli.ts';
import { nearest } from '../base/nearest.ts';
import { addAccessCommands } from '../callers/access.cli.ts';
import { addKnowledgeCommands } from '../knowledge/knowledge.cli.ts';
import { addScriptCommands } from '../lua/scripts.cli.ts';
import { addTeamCommands } from '../team/team.cli.ts';
import { version } from '../version.ts';
import { addRunCommands } from './run-commands.ts';
import { type CliContext, endWithReader } from './terminal/context.ts';
import { configOption, jsonOption } from './terminal/options.ts';
import { UsageError } from './terminal/report-error.ts';

const examples = `
Examples:
  zoo serve --open                        serve web app, HTTP API and MCP on http://127.0.0.1:7331
  zoo open                                open the web app of a running hub, signed in
  zoo connect claude --write              connect Claude Code, with a key of its own
  zoo mcp --agent code-reviewer           serve MCP on stdio, with the tools of one agent
  zoo init                                write a zoo.toml with every setting explained
  zoo agent init sre-helper               create an agent as a Lua script (or --toml, --ts)
  zoo agent test sre-helper --arg k=v     show the prompt that a client would get
  zoo sync && zoo search retry policy     index the sources in zoo.toml, then search them
  zoo mcp-server add files -- npx -y @modelcontextprotocol/server-filesystem .
  zoo run code-wizard "Review the diff"   run an agent with its model and its tools
  zoo chat code-wizard                    chat with an agent (--continue, --list)
  zoo team add worker-1                   add a team member and print its token
  zoo trust                               show what a cloned folder would run, and allow it
  zoo log --follow                        show every tool call as it happens
  zoo backup zoo-backup.sqlite            write a consistent copy, even while serving

Environment: ZOO_CONFIG (config file), AGENT_ZOO_HOME (data folder), DATABASE_URL (PostgreSQL),
  AGENT_ZOO_SECRET (encrypts stored secrets),
  OPENAI_API_KEY, ANTHROPIC_API_KEY, GOOGLE_API_KEY, OLLAMA_HOST (models),
  ZOO_LOG (debug, info, warn, error, silent), ZOO_DEBUG=1 (stack traces), NO_COLOR.`;

/** Parses the command line and runs the command. Throws UsageError for invalid usage. */
export async function runProgram(context: CliContext, args: readonly string[]): Promise<void> {
  endWithReader(context);
  const program = buildProgram(context);
  const [first, ...rest] = withConfigBehind(program, args);
  // Context Harness calls the command "completions".
  const given = first === undefined ? [] : [first === 'completions' ? 'completion' : first, ...rest];
  if (given[0] === 'completion' || given[0] === 'complete') {
    const { addCompletion } = await import('./completion.ts');
    await addCompletion(context, program, given);
  } else {
    program.command('completion').description('print a completion script for bash, zsh, fish or powershell');
  }
  const words = withHelpOption(program, given);
  try {
    await program.parseAsync(words, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return;
    // A group without a command, such as "zoo agent", prints its help.
    if (error.code === 'commander.help') commandAt(program, words).outputHelp();
    else throw new UsageError(asSentence(error.message, program, words));
  }
}

/** Defines all commands. The code of a command is loaded when it runs. */
function buildProgram(context: CliContext): Command {
  const program = new Command('zoo')
    .description('One home for your AI agents: define an agent once, use it in every MCP client.')
    .version(version, '-v, --version', 'print the version')
    .addOption(new Option('-V').hideHelp())
    .on('option:V', () => {
      context.stdout.write(`${version}\n`);
      throw new CommanderError(0, 'commander.version', version);
    })
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [command]', 'help for a command')
    .configureHelp({ optionDescription: withoutEmptyDefault })
    .addHelpText('after', examples)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.stdout.write(text),
      writeErr: () => {},
      outputError: () => {},
    });

  program
    .command('serve')
    .description('serve the web app, the HTTP API and MCP until Ctrl-C')
    .addArgument(
      new Argument('[what]', 'may say mcp, which changes nothing: one process serves everything').choices(['mcp']),
    )
    .option('--bind <host:port>', 'address to listen on (default: [server] bind or 127.0.0.1:7331)')
    .addOption(configOption())
    .option('--open', 'open the web app in the browser')
    .option('--watch', 'sync the knowledge base and keep it in sync with its folders')
    .option('--log-json', 'log JSON lines, even on a terminal')
    .action(async (_what, options) => (await import('./serve.ts')).serve(context, options));
  program
    .command('mcp')
    .description('serve MCP on stdin and stdout; MCP clients start this command')
    .option('--agent <name>', 'offer only the tools in the scope of this agent')
    .option('--member <id>', 'act as this team member, with its permissions and its mail')
    .addOption(configOption())
    .option('--folder <folder>', 'folder to find the config in (default: the working folder)')
    .option('--home <folder>', 'data folder (default: $AGENT_ZOO_HOME or ~/.agent-zoo)')
    .option('--log-json', 'log JSON lines, even on a terminal')
    .action(async (options) => (await import('./mcp.ts')).serveMcp(context, options));
  addAccessCommands(context, program);
  program
    .command('connect')
    .description('connect an MCP client with a key of its own; without a client, list the clients')
    .argument('[client]', 'claude, cursor, codex, …')
    .option('--agent <name>', 'connect only this agent')
    .option('--write', "write it into the client's config, instead of printing it")
    .option('--bind <host:port>', 'address of the hub (default: [server] bind or 127.0.0.1:7331)')
    .addOption(configOption())
    .action(async (client, options) => (await import('../http/connect.cli.ts')).connect(context, client, options));
  addAgentCommands(context, program);
  addScriptCommands(context, program);
  addKnowledgeCommands(context, program);
  addTeamCommands(context, program);
  addRunCommands(context, program);
  program
    .command('template')
    .description('starter templates for agents')
    .helpCommand(false)
    .command('list')
    .description('list the templates')
    .addOption(jsonOption())
    .action(async (options) => (await import('../agents/list-templates.cli.ts')).listTemplates(context, options));
  program
    .command('init')
    .description('write a zoo.toml with every setting explained, or prepare the config that is there')
    .addOption(configOption())
    .action(async (options) => (await import('../config/init.cli.ts')).initConfig(context, options));
  program
    .command('trust')
    .description('show what the config of a folder would run, connect and send, and allow it')
    .argument('[folder]', 'default: the working folder')
    .option('-y, --yes', 'do not ask')
    .option('--list', 'list the trusted folders')
    .option('--remove', 'stop trusting the folder')
    .option('--home <folder>', 'data folder (default: $AGENT_ZOO_HOME or ~/.agent-zoo)')
    .addOption(jsonOption())
    .action(async (folder, options) => (await import('../config/trust/trust.cli.ts')).trust(context, folder, options));
  program
    .command('status')
    .description('show config, data, agents and problems, and whether a hub is running')
    .addOption(configOption())
    .addOption(jsonOption())
    .action(async (options) => (await import('./status.ts')).showStatus(context, options));
  program
    .command('backup')
    .description('write a consistent copy of the data, even while a hub is running')
    .argument('<file>', 'the backup file')
    .option('--force', 'overwrite the file if it exists')
    .addOption(configOption())
    .action(async (file, options) => (await import('./backup.ts')).backup(context, file, options));
  program
    .command('restore')
    .description('replace the data with a backup')
    .argument('<file>', 'the backup file')
    .option('--force', 'overwrite existing data')
    .addOption(configOption())
    .action(async (file, options) => (await import('./backup.ts')).restore(context, file, options));
  program
    .command('move')
    .description('copy everything into an empty database of the other kind, and compare')
    .addArgument(
      new Argument('<direction>', 'from which database to which').choices(['sqlite-to-postgres', 'postgres-to-sqlite']),
    )
    .argument('[target]', 'the PostgreSQL address (default: $DATABASE_URL), or the new file')
    .option('--while-serving', 'copy even if a hub is using the data; what it writes meanwhile is not copied')
    .addOption(configOption())
    .addOption(jsonOption())
    .action(async (direction, target, options) =>
      (await import('./move.ts')).move(context, { ...options, direction, target }),
    );
  program
    .command('migrate')
    .description('bring the tables up to date, and show which versions use the database')
    .option('--contract', 'also remove what only older versions use; their processes fail after that')
    .addOption(configOption())
    .addOption(jsonOption())
    .action(async (options) => (await import('./migrate.ts')).migrate(context, options));
  return program;
}

/** Hides the empty default of options that collect key=value. */
function withoutEmptyDefault(option: Option): string {
  return new Help().optionDescription(option).replace(' (default: {})', '');
}

/** Turns `--config FILE sync` into `sync --config FILE`. Commands without the option, and groups, which print their help, do not need it. */
function withConfigBehind(program: Command, args: readonly string[]): string[] {
  const path: string[] = [];
  const config: string[] = [];
  let command = program;
  let index = 0;
  for (; index < args.length; index += 1) {
    const word = args[index] ?? '';
    const next = command.commands.find((each) => each.name() === word);
    if (next) {
      command = next;
      path.push(word);
    } else if (word === '--config' || word === '-c') {
      config.push(...args.slice(index, index + 2));
      index += 1;
    } else if (word.startsWith('--config=')) config.push(word);
    else break;
  }
  const isKnown = command.options.some(({ long }) => long === '--config');
  return [...path, ...(isKnown ? config : []), ...args.slice(index)];
}

/** Turns `help agent test` and `agent help test` into `agent test --help`. */
function withHelpOption(program: Command, args: readonly string[]): string[] {
  const at = args.indexOf('help');
  const group = commandAt(program, args.slice(0, at));
  const isAsked = at !== -1 && depthOf(group) === at && group.commands.length > 0;
  if (!isAsked) return [...args];
  const path = [...args.slice(0, at), ...args.slice(at + 1)];
  const found = commandAt(program, path);
  // Keeps an unknown word, so that it is rejected like any other.
  return found.commands.length > 0 && depthOf(found) < path.length ? path : [...path, '--help'];
}

function depthOf(command: Command): number {
  return command.parent ? depthOf(command.parent) + 1 : 0;
}

/** Turns Commander's message into one sentence, with a suggestion. */
function asSentence(message: string, program: Command, args: readonly string[]): string {
  const [first = ''] = message.replace(/^error: /, '').split('\n');
  const text = first.charAt(0).toUpperCase() + first.slice(1).replace(/\.$/, '');
  const parent = commandAt(program, args);
  const typed = /^Unknown command '(.*)'$/.exec(text)?.[1];
  const near =
    typed === undefined
      ? undefined
      : nearest(
          typed,
          parent.commands.map((each) => each.name()),
        );
  const hint = near ? `Did you mean "${pathOf(parent)} ${near}"?` : `Run "${pathOf(parent)} --help" for a list.`;
  const didYouMean = /\(Did you mean (.+)\?\)/.exec(message)?.[1];
  return `${text}. ${didYouMean && !near ? `Did you mean ${didYouMean}?` : hint}`;
}

function commandAt(program: Command, args: readonly string[]): Command {
  let command = program;
  for (const word of args) {
    const next = command.commands.find((each) => each.name() === word);
    if (!next) break;
    command = next;
  }
  return command;
}

function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
}
