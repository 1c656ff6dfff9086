import type { Command } from 'commander';
import type { CliContext } from '../cli/terminal/context.ts';
import { command, configOption } from '../cli/terminal/options.ts';

/** Adds `zoo open` and `zoo key`. */
export function addAccessCommands(context: CliContext, program: Command): void {
  const load = () => import('./callers.cli.ts');
  program
    .command('open')
    .description('open the web app of a running hub in the browser, signed in')
    .option('--bind <host:port>', 'address of the hub (default: [server] bind or 127.0.0.1:7331)')
    .option('--print', 'only print the link')
    .addOption(configOption())
    .action(async (options) => (await load()).openApp(context, options));
  const key = program
    .command('key')
    .description("print the owner's key, for scripts; subcommands manage client keys")
    .helpCommand(false)
    .addOption(configOption())
    .action(async (options) => (await load()).printOwnerKey(context, options));
  command(key, 'create', 'create a key for one MCP client or script')
    .argument('<name>', 'who uses it, such as "Claude Code"; it appears in the log')
    .option('--agent <name>', 'limit the key to this agent')
    .action(async (name, options) => (await load()).createKey(context, name, options));
  command(key, 'list', 'list keys and their last use').action(async (options) =>
    (await load()).listKeys(context, options),
  );
  command(key, 'revoke', 'end a key')
    .argument('<key>', 'its name or id')
    .action(async (which, options) => (await load()).revokeKey(context, which, options));
}
