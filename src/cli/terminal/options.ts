import { type Command, InvalidArgumentError, Option } from 'commander';

export function configOption(): Option {
  return new Option('-c, --config <file>', 'config file (default: zoo.toml, ctx.toml, …)');
}

export function jsonOption(): Option {
  return new Option('--json', 'print JSON');
}

/** Adds a command with the common options to a group. */
export function command(group: Command, name: string, description: string): Command {
  return group.command(name).description(description).addOption(configOption()).addOption(jsonOption());
}

export function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text) || Number(text) === 0) throw new InvalidArgumentError('Use a whole number of 1 or more.');
  return Number(text);
}
